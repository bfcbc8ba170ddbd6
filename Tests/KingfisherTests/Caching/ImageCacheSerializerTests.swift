import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

@Suite struct ImageCacheSerializerTests {
    private func data(
        _ image: Image, original: Data?, _ change: (inout DefaultCacheSerializer) -> Void = { _ in }
    ) throws -> Data {
        var serializer = DefaultCacheSerializer()
        change(&serializer)
        return try #require(serializer.data(with: image, original: original))
    }

    @Test("The format follows the original; an unknown original gives PNG", .behaviours("M-11"))
    func formats() throws {
        let (png, jpeg, gif) = (try TestImages.png, try TestImages.jpeg, try TestImages.gif)
        #expect(try data(TestImages.image(png), original: png).kf.imageFormat == .PNG)
        #expect(try data(TestImages.image(jpeg), original: jpeg).kf.imageFormat == .JPEG)
        #expect(try data(TestImages.animation, original: gif) == gif)
        #expect(try data(TestImages.image(jpeg), original: nil).kf.imageFormat == .PNG)
        #expect(
            try data(TestImages.image(jpeg), original: Data(repeating: 0, count: 64)).kf.imageFormat == .PNG)
    }

    @Test("The compression quality applies to JPEG originals", .behaviours("M-11"))
    func quality() throws {
        let jpeg = try TestImages.jpeg
        let image = try TestImages.image(jpeg)
        let stored = try data(image, original: jpeg) { $0.compressionQuality = 0.8 }
        #expect(stored == image.kf.jpegRepresentation(compressionQuality: 0.8))
        #expect(stored != image.kf.jpegRepresentation(compressionQuality: 1.0))
        #expect(try data(image, original: jpeg) == image.kf.jpegRepresentation(compressionQuality: 1.0))
    }

    @Test("Preferring the original returns its bytes and reports that", .behaviours("C-15", "M-10"))
    func original() throws {
        let jpeg = try TestImages.jpeg
        #expect(try data(TestImages.image, original: jpeg) { $0.preferCacheOriginalData = true } == jpeg)
        #expect(
            try data(TestImages.image, original: nil) { $0.preferCacheOriginalData = true }.kf.imageFormat
                == .PNG)
        var serializer = DefaultCacheSerializer()
        #expect(!serializer.originalDataUsed)
        serializer.preferCacheOriginalData = true
        #expect(serializer.originalDataUsed)
    }

    @Test("A serializer for one format uses it for every original")
    func indicatedFormat() throws {
        let jpeg = try TestImages.jpeg
        let image = try TestImages.image(jpeg)
        let png = try #require(FormatIndicatedCacheSerializer.png.data(with: image, original: jpeg))
        #expect(png.kf.imageFormat == .PNG)
        let again = FormatIndicatedCacheSerializer.png.image(
            with: png, options: KingfisherParsedOptionsInfo(nil))
        #expect(again?.size == image.size)
        #expect(
            FormatIndicatedCacheSerializer.jpeg.data(with: image, original: png)
                == image.kf.jpegRepresentation(compressionQuality: 1))
        #expect(
            FormatIndicatedCacheSerializer.jpeg(compressionQuality: 0.3).data(with: image, original: nil)
                == image.kf.jpegRepresentation(compressionQuality: 0.3))
        let gif = try TestImages.gif
        #expect(FormatIndicatedCacheSerializer.gif.data(with: try TestImages.animation, original: nil) == gif)
    }

    @Test(
        "An animated image keeps its GIF data without an original, also in copies", .behaviours("C-22"))
    func animation() throws {
        let gif = try TestImages.gif
        let animation = try TestImages.animation
        #expect(try data(animation, original: nil) == gif)
        let processed = try TestImages.image
        animation.kf.copyKingfisherState(to: processed)
        #expect(try data(processed, original: nil) == gif)
    }

    @Test("An animated GIF is still animated when it is read from disk", .behaviours("C-22"))
    func animationThroughTheDisk() async throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "gif", cacheDirectoryURL: folder.url)
        let animation = try TestImages.animation
        try await cache.store(animation, forKey: "key")
        cache.clearMemoryCache()
        let read = try await cache.retrieveImage(forKey: "key").image
        #expect(try #require(animation.kf.imageFrameCount) > 1)
        #expect(read?.kf.imageFrameCount == animation.kf.imageFrameCount)
    }

    @Test("An animated PNG keeps its bytes with and without an original; PNG encoding has its first frame")
    func animatedPNG() throws {
        let apng = try TestImages.apng
        let animation = try #require(KingfisherWrapper<Image>.image(data: apng, options: .init()))
        #expect(try data(animation, original: apng) == apng)
        #expect(try data(animation, original: nil) == apng)
        let first = try #require(
            KingfisherWrapper<Image>.image(data: apng, options: .init(onlyFirstFrame: true)))
        #expect(try data(first, original: nil) == apng)
        let png = try #require(FormatIndicatedCacheSerializer.png.data(with: animation, original: apng))
        #expect(png.kf.imageFormat == .PNG)
        #expect(samePixels(Image(data: png), first))
    }

    @Test("An animated PNG is still animated when it is read from disk")
    func animatedPNGThroughTheDisk() async throws {
        let folder = try TemporaryFolder()
        let cache = try ImageCache(name: "apng", cacheDirectoryURL: folder.url)
        let apng = try TestImages.apng
        let animation = try #require(KingfisherWrapper<Image>.image(data: apng, options: .init()))
        try await cache.store(animation, original: apng, forKey: "key")
        cache.clearMemoryCache()
        let read = try await cache.retrieveImage(forKey: "key").image
        #expect(read?.kf.imageFrameCount == 14)
        #expect(read?.kf.data(format: .APNG) == apng)
    }

    @Test("A still image made from an animation is stored as PNG")
    func processedAnimation() throws {
        #expect(try data(TestImages.image, original: TestImages.gif).kf.imageFormat == .PNG)
    }

    @Test("The scale in the options applies to images read from disk")
    func scale() throws {
        let options = KingfisherParsedOptionsInfo([.scaleFactor(3)])
        let image = DefaultCacheSerializer.default.image(with: try TestImages.png, options: options)
        #expect(image?.scale == 3)
        #expect(image?.size == CGSize(width: 11, height: 7))
    }
}
