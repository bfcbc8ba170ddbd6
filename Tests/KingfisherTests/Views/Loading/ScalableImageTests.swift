import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Images of files that can be decoded at any size, in views without `.decodesToViewSize`.
@Suite("Scalable images in views") @MainActor struct ScalableImageTests {
    private let rig: ImageViewLoadingRig
    private let renderer = RecordingRenderer()

    init() throws {
        rig = ImageViewLoadingRig(try Bench(serving: ScalableCodec.file))
        rig.view.renderer = renderer
        rig.view.contentMode = .scaleAspectFit
    }

    private var view: ImageView { rig.view }
    private var shown: PixelSize? { view.image?.pixels?.size }

    private func show(_ side: CGFloat, scale: CGFloat = 1) {
        renderer.display = ViewDisplay(
            size: CGSize(width: side, height: side), scaleFactor: scale, isVisible: true)
        view.displayDidChange()
    }

    private func load(_ extra: KingfisherOptionsInfo = []) async throws -> RetrieveImageResult {
        try await rig.load([.decodingContext(ScalableCodec.context), .waitForCache] + extra).result().get()
    }

    private func shows(_ width: Int, _ height: Int) async -> Bool {
        await poll { shown == PixelSize(width: width, height: height) }
    }

    private func settle() async throws {
        try await rig.bench.cache.settle()
        await passMainQueue()
    }

    @Test("A view that is larger than its image decodes the file again, and keeps the size in points")
    func fits() async throws {
        show(60, scale: 2)
        let result = try await load()
        #expect(result.image.pixels?.size == PixelSize(width: 24, height: 16))
        #expect(await shows(120, 80))
        #expect(view.image?.size == CGSize(width: 24, height: 16))
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("A view that grows, or moves to a screen with another scale factor, decodes it again")
    func grows() async throws {
        show(20)
        _ = try await load()
        show(60)
        #expect(await shows(60, 40))
        show(90)
        #expect(await shows(90, 60))
        show(90, scale: 2)
        #expect(await shows(180, 120))
        #expect(view.image?.size == CGSize(width: 24, height: 16))
        show(30)
        try await settle()
        #expect(shown == PixelSize(width: 180, height: 120))
    }

    @Test("A view that is smaller than the image keeps it")
    func smaller() async throws {
        show(10)
        let result = try await load()
        try await settle()
        #expect(view.image === result.image)
    }

    @Test("Without memory, the file comes from disk, where only the original is stored")
    func fromDisk() async throws {
        show(20)
        _ = try await load()
        rig.bench.cache.clearMemoryCache()
        show(60)
        #expect(await shows(60, 40))
        try await settle()
        #expect(rig.bench.filesOnDisk.count == 1)
        #expect(rig.bench.stub.requests.count == 1)
    }

    @Test("A processed image is not decoded again")
    func processed() async throws {
        show(60)
        _ = try await load([.processor(CroppingImageProcessor(size: CGSize(width: 12, height: 8)))])
        try await settle()
        #expect(shown == PixelSize(width: 12, height: 8))
    }

    @Test("With .decodesToViewSize, the first image has the pixels of the view")
    func decodesToViewSize() async throws {
        show(60, scale: 2)
        let result = try await load([.decodesToViewSize])
        #expect(result.image.pixels?.size == PixelSize(width: 120, height: 80))
        show(90, scale: 2)
        #expect(await shows(180, 120))
    }

    @Test("Without a processor, the image has the file's size in points at the scale factor of the load")
    func scaleFactor() async throws {
        let image = try await load([.scaleFactor(3)]).image
        #expect(image.pixels?.size == PixelSize(width: 72, height: 48))
        #expect(image.size == CGSize(width: 24, height: 16))
    }

    @Test("A downsampling processor enlarges the file, also from the image in memory")
    func downsampling() async throws {
        _ = try await load()
        let size = CGSize(width: 48, height: 48)
        let result = try await load([.processor(DownsamplingImageProcessor(size: size)), .scaleFactor(2)])
        #expect(result.image.pixels?.size == PixelSize(width: 96, height: 64))
        #expect(rig.bench.stub.requests.count == 1)
    }
}
