import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@Suite struct ImageFilesTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    @Test func dataGivesAStillImage() throws {
        let photo = try Fixtures.data(named: "Photos/coffee.jpg")
        #expect(Image(data: photo)?.size == CGSize(width: 512, height: 341))
        #expect(Image(data: photo, scale: 2)?.size == CGSize(width: 256, height: 170.5))
        #expect(Image(data: photo.dropLast(500)) == nil)
        #expect(Image(data: Data()) == nil)
        let animation = try #require(Image(data: Fixtures.data(named: "Photos/cat.gif")))
        #expect(animation.images == nil)
        #expect(animation.kf.imageFrameCount == nil)
    }

    @Test func filesAreReadByPathAndName() throws {
        try withFolder { folder in
            let data = try Fixtures.data(named: "PNG/rgb8.png")
            for name in ["one.png", "two@2x.png", "three@3x.png"] {
                try data.write(to: folder.appendingPathComponent(name))
            }
            func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
            #expect(Image(contentsOfFile: path("one.png"))?.scale == 1)
            #expect(Image(contentsOfFile: path("two@2x.png"))?.size == CGSize(width: 16.5, height: 10.5))
            #expect(Image(contentsOfFile: path("three@3x.png"))?.size == CGSize(width: 11, height: 7))
            #expect(Image(contentsOfFile: path("none.png")) == nil)
            #expect(Image(named: "one", in: folder)?.size == CGSize(width: 33, height: 21))
            #expect(Image(named: "one.png", in: folder) != nil)
            #expect(Image(named: "four", in: folder) == nil)
            #expect(Image(named: "", in: folder) == nil)
        }
        #expect(Image(named: "no such image") == nil)
    }

    @Test func animatedImageNeedsImages() throws {
        let image = try #require(Image(data: Fixtures.data(named: "PNG/rgb8.png"), scale: 2))
        let animation = try #require(Image.animatedImage(with: [image, image, image], duration: 1.5))
        #expect(animation.images == [image, image, image])
        #expect(animation.duration == 1.5)
        #expect(animation.scale == 2)
        #expect(Image.animatedImage(with: [image, image, image], duration: 0)?.duration == 0.1)
        #expect(Image.animatedImage(with: [], duration: 1) == nil)
    }

    @Test func representationsAreUprightFiles() throws {
        let pixels = try JPEGCodec().decode(Fixtures.data(named: "Photos/chelsea.jpg"), minimumSize: nil)
        let image = Image(pixels: pixels, orientation: .left)
        let png = try #require(image.kf.pngRepresentation())
        #expect(png.kf.imageFormat == .PNG)
        #expect(Image(data: png)?.size == image.size)
        let jpeg = try #require(image.kf.jpegRepresentation(compressionQuality: 0.5))
        #expect(jpeg.kf.imageFormat == .JPEG)
        #expect(Image(data: jpeg)?.size == image.size)
        #expect(image.kf.data(format: .PNG) == png)
        #expect(image.kf.data(format: .unknown) == png)
        #expect(image.kf.data(format: .JPEG, compressionQuality: 0.5) == jpeg)
        #expect(image.kf.data(format: .GIF) == nil)
        #expect(Image().kf.pngRepresentation() == nil)
        #expect(Image().jpegData(compressionQuality: 1) == nil)
    }
}
