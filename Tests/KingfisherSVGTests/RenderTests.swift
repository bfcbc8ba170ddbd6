import Foundation
import KingfisherCodecSupport
import KingfisherSVG
import TestHelpers
import Testing

@Suite("SVG: rendering")
struct RenderTests {
    private let codec = Samples.codec
    private static let converter = "/usr/bin/rsvg-convert"

    /// rsvg-convert's image at this width, as straight RGBA.
    private func reference(_ file: Data, width: Int) throws -> PixelBuffer {
        let png = try Samples.run(Self.converter, ["-w", "\(width)", "--keep-aspect-ratio"], input: file)
        let codec = try #require(CodecRegistry.builtIn.codec(for: ImageFormat.PNG))
        return try codec.decode(png, minimumSize: nil)
    }

    private func largestDifference(_ one: PixelBuffer, _ other: PixelBuffer) -> Int {
        guard one.size == other.size else { return 255 }
        var largest = 0
        for (one, other) in zip(one.premultipliedRows, other.premultipliedRows) {
            for (a, b) in zip(one, other) { largest = max(largest, abs(Int(a) - Int(b))) }
        }
        return largest
    }

    @Test(
        "Pixels are those of rsvg-convert, text included",
        .enabled(if: FileManager.default.isExecutableFile(atPath: converter)),
        arguments: [16, 64, 200, 1000])
    func matchesReference(width: Int) throws {
        let reference = try reference(Samples.drawing, width: width)
        let pixels = try codec.decode(Samples.drawing, shrunkTo: reference.size)
        // PNG stores straight alpha, which loses up to one level, and more where alpha is low.
        #expect(largestDifference(pixels, reference) <= 2)
    }

    @Test("A target is rendered exactly, larger and smaller than the document")
    func exactTargets() throws {
        for target in [PixelSize(width: 7, height: 5), PixelSize(width: 640, height: 401)] {
            #expect(try codec.decode(Samples.drawing, shrunkTo: target).size == target)
        }
        let own = try codec.decode(Samples.drawing, minimumSize: nil)
        #expect(own.size == PixelSize(width: 64, height: 40))
        let minimum = try codec.decode(Samples.drawing, minimumSize: PixelSize(width: 100, height: 90))
        #expect(minimum.size == PixelSize(width: 144, height: 90))
    }

    @Test("Downsampling enlarges a document to the size in points, times the scale")
    func downsampling() throws {
        let image = try Image.downsample(
            Samples.file(), using: codec, to: CGSize(width: 300, height: 300), scale: 2)
        #expect(image.pixels?.size == PixelSize(width: 600, height: 400))
        #expect(image.size == CGSize(width: 300, height: 200))
        let own = try Image.decode(Samples.file(), using: codec)
        #expect(own.size == CGSize(width: 24, height: 16))
        ImageCodecs.register(.svg)
        let enlarged = own.kf.downsampled(to: CGSize(width: 48, height: 48), scale: 1)
        #expect(enlarged.pixels?.size == PixelSize(width: 48, height: 32))
    }

    @Test("A document without viewBox is scaled, too")
    func withoutViewBox() throws {
        let file = Samples.file(#"<rect width="24" height="16" fill="red"/>"#)
        let pixels = try codec.decode(file, shrunkTo: PixelSize(width: 96, height: 64))
        #expect(Array(pixels.row(63).suffix(4)) == [255, 0, 0, 255])
    }

    @Test("A half-transparent red is premultiplied, in the order red, green, blue, alpha")
    func byteOrder() throws {
        let file = Samples.file(##"<rect width="24" height="16" fill="#ff8000" fill-opacity="0.5"/>"##)
        let pixels = try codec.decode(file, minimumSize: nil)
        #expect(pixels.format == .rgba8Premultiplied)
        #expect(Array(pixels.row(3).prefix(4)) == [128, 64, 0, 128])
    }

    @Test("Files and addresses that a document names are not loaded; data URLs are")
    func external() throws {
        let red =
            "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
        let folder = FileManager.default.temporaryDirectory.appending(path: "svg-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let png = folder.appending(path: "red.png")
        try #require(Data(base64Encoded: red)).write(to: png)
        try "rect { fill: red }".write(
            to: folder.appending(path: "a.css"), atomically: true, encoding: .utf8)
        func image(_ address: String) -> Data {
            Samples.file(##"<image width="24" height="16" preserveAspectRatio="none" href="\##(address)"/>"##)
        }
        let embedded = try codec.decode(image("data:image/png;base64,\(red)"), minimumSize: nil)
        #expect(embedded.row(8)[4 * 12 + 3] > 0)
        for address in [png.path, png.absoluteString, "red.png", "http://127.0.0.1:9/red.png"] {
            let pixels = try codec.decode(image(address), minimumSize: nil)
            #expect(pixels.row(8)[4 * 12 + 3] == 0, "\(address)")
        }
        let styled = Samples.file(
            #"<style>@import url("\#(folder.path)/a.css");</style><rect width="24" height="16"/>"#)
        #expect(Array(try codec.decode(styled, minimumSize: nil).row(1).prefix(4)) == [0, 0, 0, 255])
        let include = Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xi="http://www.w3.org/2001/XInclude" width="24" \
            height="16"><xi:include href="\(folder.path)/a.css" parse="text"/></svg>
            """.utf8)
        _ = try? codec.decode(include, minimumSize: nil)
        let entity = Data(
            """
            <!DOCTYPE svg [<!ENTITY e SYSTEM "file://\(folder.path)/a.css">]>
            <svg xmlns="http://www.w3.org/2000/svg" width="24" height="16"><text y="9">&e;</text></svg>
            """.utf8)
        let pixels = try? codec.decode(entity, minimumSize: nil)
        #expect(pixels?.premultipliedRows.joined().allSatisfy { $0 == 0 } ?? true)
    }
}
