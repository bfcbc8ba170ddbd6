import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// `image.kf` and `data.kf` without a load.
@Suite struct ImageTests {
    private func image(_ name: String) throws -> KFCrossPlatformImage {
        try #require(KFCrossPlatformImage(data: Fixtures.data(named: name)))
    }

    @Test("An image is drawn in another size and shape")
    func drawing() throws {
        let photo = try image("JPEG/420.jpg")
        let size = CGSize(width: 24, height: 24)
        #expect(photo.kf.resize(to: size).size == size)
        #expect(photo.kf.resize(to: size, for: .aspectFit).size == CGSize(width: 24, height: 18))
        #expect(photo.kf.resize(to: size, for: .aspectFill).size == CGSize(width: 32, height: 24))
        #expect(photo.kf.crop(to: size, anchorOn: .zero).size == size)
        #expect(photo.kf.image(withRadius: .heightFraction(0.5), fit: size).size == size)
        #expect(photo.kf.image(withRoundRadius: 4, fit: size, roundingCorners: .topLeft).size == size)
        #expect(Radius.heightFraction(0.5).compute(with: photo.size) == 18)
        #expect(photo.kf.blurred(withRadius: 3).size == photo.size)
        #expect(photo.kf.addingBorder(Border()).size == photo.size)
        let dense = photo.kf.scaled(to: 2)
        #expect(dense.size == CGSize(width: 24, height: 18) && dense.scale == 2)
    }

    @Test("An image is drawn in other colours")
    func colors() throws {
        let photo = try image("JPEG/420.jpg")
        let results = [
            photo.kf.overlaying(with: .red, fraction: 0.5), photo.kf.tinted(with: .blue),
            photo.kf.adjusted(brightness: 0.1, contrast: 1, saturation: 0, inputEV: 0),
            photo.kf.image(withBlendMode: .multiply, alpha: 0.5, backgroundColor: .yellow),
            photo.kf.apply(.tint(.orange)),
            photo.kf.apply(
                Filter.colorControl(
                    Filter.ColorElement(brightness: 0, contrast: 1, saturation: 0, inputEV: 0.7))),
            photo.kf.apply(Filter { $0.kf.tinted(with: .cyan) }),
        ]
        #expect(results.allSatisfy { $0.size == photo.size })
        #expect(Set(results.map { $0.pngData() }).count == results.count)
    }

    @Test("An image is encoded as PNG, JPEG or GIF")
    func encoding() throws {
        let photo = try image("JPEG/420.jpg")
        #expect(photo.kf.pngRepresentation()?.kf.imageFormat == .PNG)
        #expect(photo.kf.jpegRepresentation(compressionQuality: 0.5)?.kf.imageFormat == .JPEG)
        #expect(photo.pngData() != nil && photo.jpegData(compressionQuality: 1) != nil)
        let sizes = [1, 0.5, 0.1].map { photo.kf.data(format: .JPEG, compressionQuality: $0)?.count ?? 0 }
        #expect(sizes == sizes.sorted(by: >) && sizes[2] > 0)
        #expect(photo.kf.data(format: .unknown)?.kf.imageFormat == .PNG)
    }

    @Test("A format is recognized by its first bytes")
    func formats() throws {
        let names = ["PNG/rgb8.png", "JPEG/420.jpg", "Photos/cat.gif"]
        #expect(try names.map { try Fixtures.data(named: $0).kf.imageFormat } == [.PNG, .JPEG, .GIF])
        #expect(Data("hello, world".utf8).kf.imageFormat == .unknown && Data().kf.imageFormat == .unknown)
        let progressive = try Fixtures.data(named: "JPEG/progressive.jpg")
        #expect(progressive.kf.contains(jpeg: .SOF2) && !progressive.kf.contains(jpeg: .SOF0))
        // A format is a struct. Formats may be added, so a switch needs a default.
        switch progressive.kf.imageFormat {
        case .JPEG: break
        case .PNG, .GIF, .unknown: Issue.record("no JPEG")
        default: Issue.record("unexpected format")
        }
    }

    @Test("An animation is decoded completely, or only its first frame")
    func animation() throws {
        let data = try Fixtures.data(named: "Photos/cat.gif")
        let lazy = try #require(KingfisherWrapper<KFCrossPlatformImage>.image(data: data, options: .init()))
        #expect(lazy.images == nil && lazy.kf.imageFrameCount == 8)
        #expect(lazy.kf.frameSource?.frameCount == 8 && lazy.kf.gifRepresentation() == data)
        let source = try #require(lazy.kf.frameSource)
        #expect(source.frame(at: 7, maxSize: nil)?.width == 160 && source.duration(at: 0) == 0.1)
        #expect(source.copy().data == data)

        let full = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            data: data, options: ImageCreatingOptions(scale: 2, preloadAll: true))
        #expect(full?.images?.count == 8 && full?.size == CGSize(width: 80, height: 60))
        #expect(abs((full?.duration ?? 0) - 0.8) < 0.001)
        let still = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            data: data, options: ImageCreatingOptions(onlyFirstFrame: true))
        #expect(still?.images == nil && still?.size == CGSize(width: 160, height: 120))
    }

    @Test("An animation can be made of custom frames")
    func ownFrames() throws {
        struct Slides: ImageFrameSource {
            let data: Data? = nil
            let images: [KFCrossPlatformImage]
            var frameCount: Int { images.count }
            func frame(at index: Int, maxSize: CGSize?) -> PixelBuffer? { images[index].pixels }
            func duration(at index: Int) -> TimeInterval { 2 }
            func copy() -> Slides { self }
        }
        let slides = Slides(images: [try image("JPEG/420.jpg"), try image("JPEG/444.jpg")])
        let show = KingfisherWrapper<KFCrossPlatformImage>.animatedImage(
            source: slides, options: ImageCreatingOptions(preloadAll: true))
        #expect(show?.images?.count == 2 && show?.duration == 4)
        let uikit = KFCrossPlatformImage.animatedImage(with: slides.images, duration: 1)
        #expect(uikit?.images?.count == 2 && uikit?.duration == 1)
    }

    @Test("A thumbnail is made of data, and images are prepared for display")
    func preparing() throws {
        let data = try Fixtures.data(named: "Photos/coffee.jpg")
        let thumbnail = KingfisherWrapper<KFCrossPlatformImage>.downsampledImage(
            data: data, to: CGSize(width: 32, height: 32), scale: 2)
        #expect(thumbnail?.size.width == 32 && thumbnail?.pixels?.width == 64)
        let photo = try #require(KFCrossPlatformImage(data: data, scale: 2))
        #expect(photo.kf.decoded.size == photo.size && photo.kf.decoded(scale: 1).size.width == 512)
        #expect(photo.kf.normalized === photo)
        let other = KFCrossPlatformImage()
        photo.kf.copyKingfisherState(to: other)
        #expect(other.size == .zero)
    }

    @Test("Sizes are fitted into sizes")
    func sizes() {
        let (wide, square) = (CGSize(width: 200, height: 100), CGSize(width: 100, height: 100))
        #expect(wide.kf.resize(to: square, for: .aspectFit) == CGSize(width: 100, height: 50))
        #expect(wide.kf.constrained(square) == CGSize(width: 100, height: 50))
        #expect(wide.kf.filling(square) == CGSize(width: 200, height: 100))
        let rect = wide.kf.constrainedRect(for: square, anchor: CGPoint(x: 1, y: 0))
        #expect(rect == CGRect(x: 100, y: 0, width: 100, height: 100))
    }
}
