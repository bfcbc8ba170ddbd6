import Foundation
import KingfisherCodecSupport
import KingfisherTIFF
import TestHelpers
import Testing

/// Every kind of samples, in files of more bytes than the strips of 8 KB into which libtiff divides
/// uncompressed ones.
@Suite("TIFF: kinds of samples in every layout", .enabled(if: Tools.arePresent))
struct LayoutTests {
    struct Kind: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let photometric: Int
        let samples: Int
        var bits = 8
        /// The pixels along a side of a block of YCbCr that share their colour.
        var subsampling: (across: Int, down: Int)?
        var extra: [Int] = []

        var height: Int { 90 * 8 / min(bits, 8) }
        static let width = 180

        static let all = [
            Kind("white is 0, 1 bit", 0, 1, bits: 1), Kind("black is 0, 1 bit", 1, 1, bits: 1),
            Kind("grey, 2 bits", 1, 1, bits: 2), Kind("grey, 4 bits", 0, 1, bits: 4), Kind("grey", 1, 1),
            Kind("grey, 16 bits", 1, 1, bits: 16), Kind("grey and alpha", 1, 2, extra: [2]),
            Kind("RGB", 2, 3), Kind("RGB, 16 bits", 2, 3, bits: 16), Kind("RGB and alpha", 2, 4, extra: [2]),
            Kind("RGB, associated alpha", 2, 4, extra: [1]), Kind("RGB and another sample", 2, 4, extra: [0]),
            Kind("palette of 2", 3, 1, bits: 1), Kind("palette of 16", 3, 1, bits: 4), Kind("palette", 3, 1),
            Kind("CMYK", 5, 4), Kind("YCbCr, 4:4:4", 6, 3, subsampling: (1, 1)),
            Kind("YCbCr, 4:2:2", 6, 3, subsampling: (2, 1)), Kind("YCbCr, 4:2:0", 6, 3, subsampling: (2, 2)),
            Kind("YCbCr, 4:1:1", 6, 3, subsampling: (4, 1)), Kind("CIE L*a*b*", 8, 3),
        ]

        init(
            _ name: String, _ photometric: Int, _ samples: Int, bits: Int = 8,
            subsampling: (Int, Int)? = nil, extra: [Int] = []
        ) {
            testDescription = name
            self.photometric = photometric
            self.samples = samples
            self.bits = bits
            self.subsampling = subsampling.map { (across: $0.0, down: $0.1) }
            self.extra = extra
        }

        /// The samples of an image that changes along both axes, as an uncompressed strip stores them.
        var data: Data {
            let (width, height) = (Self.width, height)
            if let subsampling {
                // A block: its luminances by rows, then Cb and Cr.
                return stride(from: 0, to: height, by: subsampling.down).reduce(into: Data()) { data, y in
                    for x in stride(from: 0, to: width, by: subsampling.across) {
                        for row in 0..<subsampling.down {
                            for column in 0..<subsampling.across {
                                data.append(UInt8((x + column + y + row) % 220 + 16))
                            }
                        }
                        data += [UInt8(x * 255 / width), UInt8(y * 255 / height)]
                    }
                }
            }
            let rowBytes = (width * samples * bits + 7) / 8
            return (0..<height).reduce(into: Data()) { data, y in
                for x in 0..<rowBytes {
                    // With associated alpha, no colour may exceed it.
                    let isAlpha = extra == [1] && x % 4 == 3
                    let value = (x * 7 + y * 5 + (x * y) / 64) % 256
                    data.append(UInt8(isAlpha ? 255 - y : extra == [1] ? value * (255 - y) / 255 : value))
                }
            }
        }

        /// An uncompressed file of one strip.
        var file: Data { file(rowsPerStrip: height, isPacked: false) }

        func file(rowsPerStrip: Int, isPacked: Bool) -> Data {
            var fields: [(tag: Int, values: [Int])] = [
                (256, [Self.width]), (257, [height]), (258, Array(repeating: bits, count: samples)),
                (262, [photometric]), (277, [samples]), (278, [rowsPerStrip]),
            ]
            if photometric == 3 {
                fields.append((320, (0..<3 << bits).map { $0 * 40_503 & 0xFFFF }))
            }
            if !extra.isEmpty { fields.append((338, extra)) }
            if let subsampling { fields.append((530, [subsampling.across, subsampling.down])) }
            let data = self.data
            let length = data.count / height * rowsPerStrip
            let strips = stride(from: 0, to: data.count, by: length).map { start in
                data[start..<min(start + length, data.count)]
            }
            let rowBytes = data.count / height * (subsampling?.down ?? 1)
            return StripFile(
                fields: fields, strips: strips, packedRowBytes: isPacked ? rowBytes : nil
            ).data
        }

        /// Premultiplied RGBA where libtiff's interface gives something else: it does not multiply grey by
        /// its alpha, and takes a sample of unknown meaning for alpha.
        var ownPixels: [UInt8]? {
            let stored = [UInt8](data)
            switch (samples, extra) {
            case (2, [2]):
                return stride(from: 0, to: stored.count, by: 2).flatMap { index -> [UInt8] in
                    let (level, alpha) = (Int(stored[index]), stored[index + 1])
                    let product = UInt8((level * Int(alpha) + 127) / 255)
                    return [product, product, product, alpha]
                }
            case (4, [0]):
                return stride(from: 0, to: stored.count, by: 4).flatMap { stored[$0..<$0 + 3] + [255] }
            default: return nil
            }
        }

        /// Where tiffcp copies these samples and libtiff reads them. It moves planes of whole bytes only, and
        /// no samples that share colours.
        func allows(_ layout: [String]) -> Bool {
            guard subsampling == nil || subsampling?.across == 1 else { return false }
            return !layout.contains("separate") || bits == 8 && photometric != 8
        }
    }

    /// Strips and tiles, interleaved and in planes, not compressed and compressed.
    static let layouts: [[String]] = [
        ["-r", "4000"], ["-r", "16"], ["-t", "-w", "64", "-l", "48"], ["-p", "separate", "-r", "4000"],
        ["-p", "separate", "-t", "-w", "64", "-l", "48"],
    ]
    static let compressions = ["none", "lzw", "zip", "packbits"]

    /// RGBA of 8 bits by libtiff's interface for whole images.
    private func decodeByLibrary(_ file: Data) throws -> [UInt8] {
        try bytes(decode(Tools.convert(file, by: "tiff2rgba", [])))
    }

    private func bytes(_ pixels: PixelBuffer) throws -> [UInt8] {
        try pixels.converted(to: .rgba8Premultiplied).packedBytes
    }

    @Test(
        "Each kind is in every layout and compression as tiff2rgba reads it in one strip", arguments: Kind.all
    )
    func kinds(_ kind: Kind) throws {
        let file = kind.file
        let expected = try kind.ownPixels ?? decodeByLibrary(file)
        #expect(Set(expected).count > 1)
        // Conversion to 8 bits, alpha and ink may round in another direction. tiff2rgba reads the file in one
        // strip only, because it misreads tiles of grey with 16 bits.
        let tolerance = kind.bits == 16 || !kind.extra.isEmpty || kind.photometric == 5 ? 1 : 0
        func check(_ copy: Data, _ name: String) throws {
            let found = try bytes(decode(copy))
            if found == expected { return }
            let distance = zip(found, expected).reduce(0) { max($0, abs(Int($1.0) - Int($1.1))) }
            #expect(found.count == expected.count)
            #expect(distance <= tolerance, "\(name)")
        }
        for rows in [kind.height, 16] {
            for isPacked in [false, true] {
                try check(kind.file(rowsPerStrip: rows, isPacked: isPacked), "\(rows) rows \(isPacked)")
            }
        }
        for layout in Self.layouts where kind.allows(layout) {
            for compression in Self.compressions {
                let arguments = layout + ["-c", compression]
                var copy = try Tools.convert(file, arguments)
                if let (across, down) = kind.subsampling {
                    // tiffcp of libtiff 4.7.2 calls a copy of YCbCr RGB.
                    copy = try Tools.set(262, kind.photometric, in: copy)
                    copy = try Tools.set(530, across, down, in: copy)
                }
                try check(copy, arguments.joined(separator: " "))
            }
        }
    }

    @Test(
        "YCbCr without compression is what the matrix of CCIR 601 makes of it",
        arguments: Kind.all.filter { $0.photometric == 6 })
    func colors(_ kind: Kind) throws {
        let found = try bytes(decode(kind.file))
        let (across, down) = try #require(kind.subsampling)
        for y in 0..<kind.height {
            for x in 0..<Kind.width {
                let luminance = Double((x + y) % 220 + 16)
                let cb = Double(x / across * across * 255 / Kind.width) - 128
                let cr = Double(y / down * down * 255 / kind.height) - 128
                let expected = [
                    luminance + 1.402 * cr, luminance - 0.344136 * cb - 0.714136 * cr,
                    luminance + 1.772 * cb,
                ]
                for channel in 0..<3 {
                    let level = min(max(expected[channel], 0), 255)
                    let distance = abs(level - Double(found[4 * (y * Kind.width + x) + channel]))
                    guard distance > 2 else { continue }
                    Issue.record("pixel \(x), \(y), channel \(channel): \(distance)")
                    return
                }
            }
        }
    }

    @Test("Page 0 is the first that is not a reduced version of another", arguments: [false, true])
    func reduced(_ isOldField: Bool) throws {
        let preview = try Tools.set(
            254, 1,
            in: Tools.file(Data(repeating: 9, count: 24), 6, 4, bands: 1, photometric: "minisblack"))
        let full = try Tools.file(Data(repeating: 200, count: 96), 12, 8, bands: 1, photometric: "minisblack")
        func joined(_ pages: Data...) throws -> Data {
            var file = try Tools.joined(pages)
            // The older `SubfileType`, which libtiff's tools do not write: a short, 2 for a reduced image.
            let field = Data([254, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0])
            while isOldField, let place = file.firstRange(of: field) {
                file.replaceSubrange(place, with: [255, 0, 3, 0, 1, 0, 0, 0, 2, 0, 0, 0])
            }
            return file
        }
        let file = try joined(preview, preview, full)
        #expect(TIFFCodec.pageCount(of: file) == 3)
        #expect(try TIFFCodec().header(of: file).size == PixelSize(width: 12, height: 8))
        #expect(try values(decode(file)) == Array(repeating: 200, count: 96))
        #expect(try decode(file, page: 1).size == PixelSize(width: 6, height: 4))
        #expect(try decode(joined(preview, preview)).size == PixelSize(width: 6, height: 4))
        #expect(try decode(joined(full, preview)).size == PixelSize(width: 12, height: 8))
    }
}
