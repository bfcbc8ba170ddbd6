import Foundation
import KingfisherCodecSupport
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherTIFF

/// Parts of pages that are decoded alone, compared with the whole page.
@Suite("TIFF: parts", .enabled(if: Tools.arePresent))
struct RegionTests {
    private static let areas = [
        (0, 0, 180, 48), (63, 47, 2, 2), (64, 48, 64, 33), (100, 5, 80, 70), (179, 89, 1, 1), (1, 16, 30, 17),
    ]

    private func regions(_ file: Data) throws -> (any ImageRegions)? {
        try TIFFCodec().regions(of: EncodedFile(file))
    }

    private func check(_ file: Data, _ name: String) throws {
        let regions = try #require(try regions(file), "\(name)")
        let whole = try #require(try regions.whole(level: 0), "\(name)")
        let decoded = try decode(file)
        #expect(whole.format == decoded.format && whole.packedBytes == decoded.packedBytes, "\(name)")
        for level in 0...regions.deepestLevel {
            let image = try #require(try regions.whole(level: level))
            #expect(image.size == whole.size.level(level))
            for (x, y, width, height) in Self.areas {
                let (left, top) = (x >> level, y >> level)
                let size = PixelSize(
                    width: max(1, min(width >> level, image.width - left)),
                    height: max(1, min(height >> level, image.height - top)))
                let part = try regions.part(PixelArea(x: left, y: top, size: size), level: level)
                let crop = try image.cropped(x: left, y: top, width: size.width, height: size.height)
                #expect(
                    part.format == crop.format && part.packedBytes == crop.packedBytes,
                    "\(name), level \(level), \(left), \(top)")
            }
        }
    }

    @Test("Parts have the pixels of the whole page in every layout", arguments: LayoutTests.Kind.all)
    func layouts(_ kind: LayoutTests.Kind) throws {
        for (rows, isPacked) in [(kind.height, false), (kind.height, true), (16, false), (16, true)] {
            try check(kind.file(rowsPerStrip: rows, isPacked: isPacked), "\(rows) rows \(isPacked)")
        }
        for layout in LayoutTests.layouts where kind.allows(layout) {
            for compression in ["none", "lzw"] {
                let arguments = layout + ["-c", compression]
                try check(Tools.convert(kind.file, arguments), arguments.joined(separator: " "))
            }
        }
    }

    @Test("Parts of pages with JPEG compression have the pixels of the whole page")
    func jpeg() throws {
        let kind = try #require(LayoutTests.Kind.all.first { $0.testDescription == "RGB" })
        for layout in [["-r", "16"], ["-t", "-w", "64", "-l", "48"]] {
            let arguments = layout + ["-c", "jpeg"]
            try check(Tools.convert(kind.file, arguments), arguments.joined(separator: " "))
        }
    }

    @Test("The table of limits in SECURITY.md states the bytes of a piece")
    func page() throws {
        let page = try RepositoryPage.text("SECURITY.md")
        let figure = TIFFRegions.maximumPieceBytes >> 20
        #expect(page.contains("| \(figure) MiB | `TIFFRegions.maximumPieceBytes` |"))
    }

    @Test("A truncated page has no parts, and one in pieces of more than 16 MiB is decoded as a whole")
    func unsuitable() throws {
        let kind = try #require(LayoutTests.Kind.all.first { $0.testDescription == "RGB" })
        let file = try Tools.convert(kind.file, ["-r", "16", "-c", "lzw"])
        let regions = try #require(try regions(file))
        #expect(throws: ImageCodecError.self) {
            try regions.part(PixelArea(x: 180, y: 0, size: PixelSize(width: 1, height: 1)), level: 0)
        }
        let (width, height) = (3_000, 2_000)
        let large = try Tools.file(Data(count: width * height * 3), width, height, bands: 3)
        #expect(try self.regions(Tools.convert(large, ["-r", "\(height)", "-c", "lzw"])) == nil)
        #expect(try self.regions(Tools.convert(large, ["-r", "\(height)", "-c", "none"])) != nil)
        let strip = try Tools.convert(large, ["-r", "500", "-c", "lzw"])
        #expect(try self.regions(strip) != nil)
    }
}
