import Foundation
import TestHelpers
import Testing

@testable import KingfisherImage

/// Round corners, borders and overlays against coverage counted by numpy and blending by Pillow; the cases
/// are also in `Tests/Fixtures/generate/shapes.py`.
@Suite struct ShapeReferenceTests {
    private static func image() throws -> Image {
        Image(pixels: try DrawingReference.image("source").cropped(x: 0, y: 0, width: 61, height: 45))
    }

    /// The counted coverage differs by up to 1/128, and three roundings by up to 2/255.
    private func expectClose(_ image: Image, _ reference: String) throws {
        let ours = try #require(image.pixels)
        let theirs = try DrawingReference.samples8(reference)
        let difference = try #require(PixelDifference(ours.packed, theirs))
        #expect(difference.largest <= 3, "\(reference)")
        #expect(difference.psnr >= 52, "\(reference)")
        #expect(Samples.all(ours).allSatisfy { pixel in pixel.allSatisfy { $0 <= pixel[3] } })
    }

    private static let diagonal: RectCorner = [.topLeft, .bottomRight]

    @Test(
        "Round corners are antialiased by coverage",
        arguments: [
            ("10-all", 10, .all), ("7.3-all", 7.3, .all), ("22.5-all", 22.5, .all),
            ("15.5-diagonal", 15.5, diagonal), ("0.6-all", 0.6, .all),
        ] as [(String, CGFloat, RectCorner)])
    func round(name: String, radius: CGFloat, corners: RectCorner) throws {
        let image = try Self.image()
        let rounded = image.kf.image(
            withRoundRadius: radius, fit: image.size, roundingCorners: corners)
        try expectClose(rounded, "round-\(name).rgba")
    }

    static let borders: [(String, Border)] = [
        ("4-square", Border()),
        ("2.5-square", Border(color: Color(red: 0.2, green: 0.6, blue: 1), lineWidth: 2.5)),
        ("3-10-all", Border(color: .red, lineWidth: 3, radius: .point(10))),
        (
            "3.25-22.5-half",
            Border(
                color: Color(red: 0, green: 0.5, blue: 0, alpha: 0.5), lineWidth: 3.25,
                radius: .heightFraction(0.5))
        ),
        (
            "0.5-6-two",
            Border(
                color: .white, lineWidth: 0.5, radius: .point(6), roundingCorners: [.topRight, .bottomLeft])
        ),
        ("8-5-all", Border(color: .black.withAlphaComponent(0.25), lineWidth: 8, radius: .point(5))),
        ("22-22.5-all", Border(color: .orange, lineWidth: 22, radius: .point(22.5))),
    ]

    @Test("A border covers the area between two shapes and is drawn over the image", arguments: borders)
    func border(name: String, border: Border) throws {
        try expectClose(Self.image().kf.addingBorder(border), "border-\(name).rgba")
    }

    @Test(
        "An overlay is mixed with the colours of the image and preserves its transparency",
        arguments: [
            ("solid", Color(red: 1, green: 0.5, blue: 0), 0), ("half", .blue, 0.5),
            ("faint", Color(red: 0, green: 1, blue: 0.25), 0.9),
        ] as [(String, Color, CGFloat)])
    func overlay(name: String, color: Color, fraction: CGFloat) throws {
        let image = try Self.image()
        let overlaid = image.kf.overlaying(with: color, fraction: fraction)
        try expectClose(overlaid, "overlay-\(name).rgba")
        let (before, after) = (try #require(image.pixels), try #require(overlaid.pixels))
        #expect(Samples.all(before).map { $0[3] } == Samples.all(after).map { $0[3] })
    }
}
