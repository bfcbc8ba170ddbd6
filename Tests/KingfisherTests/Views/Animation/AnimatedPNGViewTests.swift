import Foundation
import KingfisherImage
import TestHelpers
import Testing

@testable import Kingfisher

@Suite @MainActor struct AnimatedPNGViewTests {
    private let rig = AnimationRig()

    @Test("An animated view shows each frame of an animated PNG for its delay") func delays() async throws {
        let data = try TestImages.apng
        let source = try #require(try APNGCodec().frameSource(for: data))
        rig.view.image = KingfisherWrapper<Image>.image(data: data, options: .init())
        await rig.settle()
        var hundredths = Array(repeating: 0, count: source.frameCount)
        for _ in 0..<144 {
            await rig.look(after: 0.01)
            let index = try #require(rig.view.animator?.currentFrameIndex)
            hundredths[index] += 1
            #expect(samePixels(rig.view.displayedImage, source.frame(at: index).map { Image(pixels: $0) }))
        }
        #expect(hundredths == [10] + Array(4...15) + [20])
        #expect(rig.events == ["loop 1"])
    }

    @Test("An image view plays an animated PNG from the network") func imageView() async throws {
        let loading = ImageViewLoadingRig(try Bench(serving: TestImages.apng))
        let image = try await loading.load(in: rig.view).result().get().image
        #expect(image.kf.imageFrameCount == 14 && image.kf.frameSource != nil)
        #expect(rig.view.animator != nil)
    }
}
