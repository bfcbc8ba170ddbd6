import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import KingfisherImage

/// The most frequent colours of an image.
@Suite struct PaletteTests {
    private func palette(_ image: Image, count: Int = 5) -> [String] {
        image.kf.palette(count: count).map { "\($0.color.hexadecimal) \($0.share)" }
    }

    private func image(
        _ width: Int, _ height: Int, _ format: PixelFormat = .rgba8Straight,
        _ color: (_ x: Int, _ y: Int) -> [Double]
    ) throws -> Image {
        Image(pixels: try TestImages.make(width, height, format, color))
    }

    @Test func `Few colours are exact, sorted by their shares`() throws {
        let image = try image(10, 10) { x, _ in x < 5 ? [0, 0, 1, 1] : x < 8 ? [1, 0, 0, 1] : [1, 1, 1, 1] }
        #expect(palette(image) == ["#0000ff 0.5", "#ff0000 0.3", "#ffffff 0.2"])
        #expect(palette(image, count: 2) == ["#0000ff 0.5", "#ff0000 0.3"])
        #expect(image.kf.dominantColor == Color(red: 0, green: 0, blue: 1))
        let equal = try self.image(2, 2) { x, y in [Double(x), Double(y), 0, 1] }
        #expect(palette(equal) == ["#000000", "#00ff00", "#ff0000", "#ffff00"].map { "\($0) 0.25" })
    }

    @Test func `A short palette is the beginning of the palette of five`() throws {
        let photo = try Image.decode(Fixtures.data(named: "Photos/coffee.jpg"))
        let five = photo.kf.palette()
        #expect(five.count == 5 && photo.kf.dominantColor == five[0].color)
        for count in 1...4 { #expect(photo.kf.palette(count: count) == Array(five.prefix(count))) }
        #expect(abs(five.map(\.share).reduce(0, +) - 1) < 1e-9)
        let many = photo.kf.palette(count: 1_000)
        #expect(many.count > 200 && many.count <= 256)
        #expect(many.map(\.share) == many.map(\.share).sorted(by: >))
        #expect(Set(many.map(\.color)).count == many.count)
        #expect(photo.kf.palette(count: 0).isEmpty && photo.kf.palette(count: .min).isEmpty)
    }

    @Test func `Transparent pixels do not count, and others count by their alpha`() throws {
        let format = PixelFormat(layout: .rgba, depth: .sixteen, alpha: .straight)
        for format in [.rgba8Straight, format] {
            let image = try image(8, 4, format) { x, _ in
                x < 4 ? [0, 1, 0, 0] : x < 6 ? [1, 0, 0, 0.2] : [0, 0, 1, 1]
            }
            #expect(image.kf.palette().map(\.color.hexadecimal) == ["#0000ff", "#ff0000"])
            #expect(abs((image.kf.palette().last?.share ?? 0) - 0.2 / 1.2) < 1e-9)
            let premultiplied = try #require(image.pixels).converted(to: .rgba8Premultiplied)
            #expect(Image(pixels: premultiplied).kf.palette() == image.kf.palette())
        }
    }

    @Test func `An image without visible pixels has no colours`() throws {
        let clear = try image(300, 300) { _, _ in [1, 0, 0, 0] }
        #expect(clear.kf.palette().isEmpty && clear.kf.dominantColor == nil)
        #expect(Image().kf.palette().isEmpty && Image().kf.dominantColor == nil)
    }

    @Test func `Grey images of one or two channels, and of 16 bits, have grey colours`() throws {
        for (layout, depth) in [(PixelFormat.Layout.gray, PixelFormat.Depth.eight), (.grayAlpha, .sixteen)] {
            let format = PixelFormat(layout: layout, depth: depth, alpha: .straight)
            let image = try image(4, 1, format) { x, _ in Array([x < 3 ? 0.2 : 1, 1].prefix(layout.channels))
            }
            #expect(palette(image) == ["#333333 0.75", "#ffffff 0.25"])
        }
    }

    @Test func `An animation has the palette of its first frame, regardless of the orientation`() throws {
        let file = try Fixtures.data(named: "Photos/cat.gif")
        let animation = try Image.decode(file)
        let first = try #require(animation.pixels)
        #expect(animation.images != nil || animation.kf.imageFrameCount ?? 0 > 1)
        #expect(animation.kf.palette() == Image(pixels: first).kf.palette())
        #expect(
            Image(pixels: first, orientation: .right).kf.palette() == Image(pixels: first).kf.palette())
    }

    @Test(arguments: [1, 2, 3, 4, 8, 16, 17, 64])
    func `Patterns of a large image do not hide from the samples`(_ period: Int) throws {
        for isColumn in [true, false] {
            let image = try image(1024, 768, .gray8) { x, y in
                [(isColumn ? x : y) / period % 2 == 0 ? 1 : 0]
            }
            let colors = image.kf.palette()
            #expect(Set(colors.map(\.color.hexadecimal)) == ["#000000", "#ffffff"])
            #expect(colors.allSatisfy { abs($0.share - 0.5) < 0.02 })
        }
        let checked = try self.image(1000, 700, .gray8) { x, y in [(x / period + y / period) % 2 == 0 ? 1 : 0]
        }
        #expect(checked.kf.palette().allSatisfy { abs($0.share - 0.5) < 0.02 })
    }

    @Test func `A part of a large image has its share`() throws {
        let image = try image(900, 600, .rgba8Opaque) { x, y in
            x < 90 && y < 60 ? [1, 0, 0, 1] : [0, Double((x + y) % 3) / 50, 0.4, 1]
        }
        let red = try #require(image.kf.palette().first { $0.color.red > 0.9 })
        #expect(abs(red.share - 0.01) < 0.001)
    }

    @Test func `A flat photo with noise has its colour as the dominant one`() throws {
        var generator = SeededGenerator(seed: 5)
        let samples = (0..<200 * 200).flatMap { _ in
            [180, 40, 90].map { Int($0) + Int.random(in: -6...6, using: &generator) } + [255]
        }
        let image = Image(pixels: try .make(samples, width: 200, format: .rgba8Opaque))
        let color = try #require(image.kf.dominantColor)
        #expect(abs(color.red * 255 - 180) < 7 && abs(color.green * 255 - 40) < 7)
    }

    @Test(arguments: [
        (Color(red: 1, green: 0.5, blue: 0), "#ff8000"), (.clear, "#00000000"),
        (Color(red: .nan, green: -1, blue: 2, alpha: 0.5), "#0000ff80"),
        (Color(white: 0, alpha: 7), "#000000"),
    ])
    func `The hexadecimal text of a colour is within the gamut`(_ color: Color, _ text: String) {
        #expect(color.hexadecimal == text)
    }
}
