import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// Truncated JPEGs, GIFs and animated PNGs, if the caller accepts partial images; `PartialPNGTests` tests
/// PNGs.
@Suite struct PartialImageTests {
    private static var accepting: ImageCreatingOptions {
        var options = ImageCreatingOptions()
        options.acceptsPartialImages = true
        return options
    }

    private func part(_ data: Data, _ codec: any ImageCodec) throws(ImageCodecError) -> PixelBuffer {
        try codec.decode(data, minimumSize: nil, acceptsPartialImages: true)
    }

    @Test("By default truncated files are errors; whole files are decoded as usual")
    func strict() throws {
        for name in ["JPEG/420.jpg", "GIF/disposal-mixed.gif", "APNG/mixed.apng"] {
            let data = try Fixtures.data(named: name)
            let codec = try #require(ImageCodecs.codec(for: data))
            #expect(!codec.endsEarly(data) && !codec.endsEarly(data + Data("more".utf8)))
            let truncated = data.dropLast()
            #expect(codec.endsEarly(truncated))
            let whole = try codec.decode(data, minimumSize: nil)
            #expect(try part(data, codec).packedBytes == whole.packedBytes)
            for count in Swift.stride(from: 9, to: data.count, by: 5) {
                let cut = data.prefix(count)
                #expect(throws: ImageCodecError.truncated) { try Image.decode(cut, using: codec) }
                // A partial image always has the size from the header.
                guard let image = try? Image.decode(cut, using: codec, options: Self.accepting) else {
                    continue
                }
                #expect(image.pixels?.size == whole.size && image.kf.fileBytes?.count != count)
                #expect(codec.endsEarly(cut))
            }
        }
    }

    // MARK: JPEG

    @Test(
        "A truncated JPEG shows the rows that arrived, and black below them",
        arguments: ["Photos/coffee.jpg", "Photos/camera.jpg", "JPEG/cmyk.jpg", "JPEG/restart.jpg"])
    func jpegRows(name: String) throws {
        let data = try Fixtures.data(named: name)
        let whole = try JPEGCodec().decode(data, minimumSize: nil)
        let expected = Samples.all(whole)
        var most = 0
        for count in Swift.stride(from: data.count / 10, to: data.count - 2, by: max(data.count / 12, 1)) {
            guard let pixels = try? part(data.prefix(count), JPEGCodec()) else { continue }
            let (rows, width) = (Samples.all(pixels), whole.width)
            let came = (0..<whole.height).first { row in
                (row * width..<(row + 1) * width).contains { rows[$0] != expected[$0] }
            }
            let black = whole.format == .gray8 ? [0] : [0, 0, 0, 255]
            // The last row of blocks may be partial, and its chroma reaches into the next.
            let blank = min((came ?? whole.height) + 32, whole.height)
            #expect(rows[(blank * width)...].allSatisfy { $0 == black }, "\(count) bytes")
            #expect((came ?? whole.height) >= most)
            most = came ?? whole.height
        }
        #expect(most > whole.height / 3)
    }

    @Test("A truncated progressive JPEG shows the scans that arrived, as djpeg does")
    func jpegScans() throws {
        let data = try Fixtures.data(named: "Progressive/small.jpg")
        var scans = JPEGScans()
        data.withUnsafeBytes { scans.take($0) }
        for (number, end) in scans.ends.dropLast().enumerated() {
            let pixels = try part(data.prefix(end), JPEGCodec())
            let reference = try JPEGDecoders.djpeg("small-\(number + 1)")
            #expect(Samples.all(pixels).map { $0.prefix(3) } == Samples.all(reference).map { $0.prefix(3) })
        }
        #expect(scans.ends.count > 5)
    }

    @Test("A truncated JPEG is shrunk and rotated; without a row of blocks it is an error")
    func jpegSmall() throws {
        let photo = try Fixtures.data(named: "Photos/coffee.jpg")
        let options = CGSize(width: 60, height: 60)
        let small = try Image.downsample(
            photo.prefix(photo.count / 2), to: options, scale: 1, acceptsPartialImages: true)
        #expect(small.pixels?.samples(x: 30, y: 2) != [0, 0, 0, 255])
        #expect(small.pixels?.samples(x: 30, y: Int(small.size.height) - 2) == [0, 0, 0, 255])
        #expect(throws: ImageCodecError.truncated) {
            try Image.downsample(photo.prefix(photo.count / 2), to: options, scale: 1)
        }
        let start = try photo.reading(JPEGFrameHeader.init(scanning:)).firstScan
        for count in [9, start, start + 2, start + 30] {
            #expect(throws: ImageCodecError.truncated) { try part(photo.prefix(count), JPEGCodec()) }
        }
    }

    @Test("Corruption before the end is not a truncation")
    func jpegDamage() throws {
        let data = try Fixtures.data(named: "JPEG/restart.jpg")
        let start = try data.reading(JPEGFrameHeader.init(scanning:)).firstScan
        let damaged = data.replacing([0xFF, 0xC4], at: start + 40)
        #expect(throws: ImageCodecError.self) { try part(damaged, JPEGCodec()) }
    }

    // MARK: GIF

    @Test("A truncated GIF shows its complete frames, and its data are a file of these frames")
    func gifFrames() throws {
        let data = try Fixtures.data(named: "GIF/disposal-mixed.gif")
        let whole = try GIFCodec.source(data)
        var counts: [Int] = []
        for count in 20..<data.count {
            guard let image = try? Image.decode(data.prefix(count), options: Self.accepting),
                let source = image.kf.frameSource
            else { continue }
            counts.append(source.frameCount)
            for number in 0..<source.frameCount where source.frameCount > 1 {
                let frame = try #require(source.frame(at: number))
                let expected = try whole.composedFrame(at: number).premultipliedBytes(frame)
                #expect(frame.packedBytes == expected)
            }
            let file = try #require(image.kf.animatedData)
            #expect(try GIFCodec().header(of: file).frameCount == source.frameCount)
        }
        #expect(counts == counts.sorted() && Set(counts) == Set(1...whole.frameCount))
    }

    @Test("A GIF whose first frame is truncated shows the rows that arrived")
    func gifRows() throws {
        let data = try Fixtures.data(named: "GIF/palette256.gif")
        let whole = Samples.all(try GIFCodec().decode(data, minimumSize: nil))
        var most = 0
        for count in Swift.stride(from: data.count / 2, to: data.count - 1, by: 7) {
            guard let pixels = try? part(data.prefix(count), GIFCodec()) else { continue }
            let rows = Samples.all(pixels)
            let came = rows.firstIndex { $0[3] == 0 } ?? rows.count
            #expect(rows[..<came].elementsEqual(whole[..<came]) && came % pixels.width == 0)
            #expect(rows[came...].allSatisfy { $0 == [0, 0, 0, 0] } && came >= most)
            most = came
        }
        #expect(most > whole.count / 2)
        let interlaced = try Fixtures.data(named: "GIF/interlaced.gif")
        #expect(throws: ImageCodecError.truncated) {
            try part(interlaced.prefix(interlaced.count - 30), GIFCodec())
        }
    }

    // MARK: Animated PNG

    @Test("A truncated animated PNG shows its complete frames, or the rows of its default image that arrived")
    func apngFrames() throws {
        let data = try Fixtures.data(named: "APNG/dispose0-blend1.apng")
        let whole = try APNGCodec.source(data)
        var counts: [Int] = []
        for count in Swift.stride(from: 60, to: data.count, by: 3) {
            let cut = data.prefix(count)
            guard cut.withUnsafeBytes(APNGCodec().matches),
                let image = try? Image.decode(cut, options: Self.accepting)
            else { continue }
            let source = image.kf.frameSource
            counts.append(source?.frameCount ?? 1)
            for number in 0..<(source?.frameCount ?? 0) {
                #expect(
                    source?.frame(at: number)?.packedBytes
                        == (try whole.composedFrame(at: number).packedBytes))
            }
        }
        #expect(counts == counts.sorted() && Set(counts).count > 2)
        #expect(try part(data.prefix(data.count / 2), APNGCodec()).size == whole.composedFrame(at: 0).size)
    }

    @Test("An animated PNG out of sequence shows its default image if the caller accepts partial images")
    func apngSequence() throws {
        for name in ["hidden-default", "mixed"] {
            let data = try Fixtures.data(named: "APNG/\(name).apng")
            var list = ChunkList(data)
            list.set("fcTL", 1, at: 0, to: 77)
            #expect(throws: ImageCodecError.corrupt("a chunk that is out of sequence")) {
                try Image.decode(list.file)
            }
            #expect(APNGCodec().endsEarly(list.file))
            let image = try Image.decode(list.file, options: Self.accepting)
            #expect(image.kf.frameSource == nil && image.kf.fileBytes == nil)
            let still = try PNGCodec().decode(data, minimumSize: nil)
            #expect(image.pixels?.packedBytes == still.packedBytes)
            let size = try APNGCodec().header(of: list.file, acceptsPartialImages: true)
            #expect(size.displaySize == still.size && size.timing == nil)
            #expect(
                try Image.downsample(
                    list.file, to: CGSize(width: 5, height: 5), scale: 1, acceptsPartialImages: true
                ).size.width == 5)
        }
    }
}

extension PixelBuffer {
    /// The bytes in the format of `other`: a truncated animation may differ in alpha from the whole one.
    fileprivate func premultipliedBytes(_ other: PixelBuffer) throws -> [UInt8] {
        format == other.format ? packedBytes : try converted(to: other.format).packedBytes
    }
}
