import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// The pixels after seeks in any order are those of decoding the frames in order.
@Suite @MainActor struct SeekPixelsTests {
    @Test(
        "A seek shows the same pixels as playing in order",
        arguments: ["GIF/delays.gif", "GIF/disposal-mixed.gif", "APNG/mixed.apng"])
    func seeks(file: String) async throws {
        let data = try Fixtures.data(named: file)
        let image = try #require(KingfisherWrapper<Image>.image(data: data, options: .init()))
        let inOrder = try #require(image.kf.frameSource).copy()
        let frames = (0..<inOrder.frameCount).map { inOrder.frame(at: $0, maxSize: nil) }
        try #require(frames.count > 2)
        let rig = AnimationRig()
        rig.view.needsPrescaling = false
        rig.view.image = image
        rig.view.stopAnimating()
        await rig.settle()
        var random = SeededGenerator(seed: 7)
        for _ in 0..<60 {
            let index = Int.random(in: 0..<frames.count, using: &random)
            // Discards frames now and then, so that they are decoded again from other positions.
            if Int.random(in: 0..<3, using: &random) == 0 { rig.budget.trim(to: 0) }
            rig.view.seek(toFrame: index)
            await rig.settle()
            await rig.settle()
            let expected = frames[index].map { Image(pixels: $0) }
            #expect(samePixels(rig.view.displayedImage, expected), "frame \(index)")
        }
    }
}
