import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing

/// User story 1: rounded corners, and their form on disk.
@Suite @MainActor struct RoundCornersStory {
    let rig: ImageViewLoadingRig
    private let processor = RoundCornerImageProcessor(cornerRadius: 20)

    init() throws {
        rig = ImageViewLoadingRig(try Bench(serving: try TestImages.jpeg))
    }

    /// Sets the image, clears the memory cache, and sets it again.
    private func setTwice(_ options: KingfisherOptionsInfo) async throws -> [Image] {
        let fetched = try await rig.load(options + [.waitForCache]).result().get()
        #expect(fetched.cacheType == .none && rig.view.image === fetched.image)
        rig.bench.cache.clearMemoryCache()
        let read = try await rig.load(options).result().get()
        #expect(read.cacheType == .disk && rig.view.image === read.image)
        #expect(rig.bench.stub.requests.count == 1)
        return [fetched.image, read.image]
    }

    /// The corner pixels and the middle pixel.
    private func samples(_ image: Image) throws -> (corners: [[Int]], middle: [Int]) {
        let pixels = try #require(image.pixels)
        let (right, bottom) = (pixels.width - 1, pixels.height - 1)
        let corners = [(0, 0), (right, 0), (0, bottom), (right, bottom)]
        return (
            try corners.map { try #require(pixels.samples(x: $0.0, y: $0.1)) },
            try #require(pixels.samples(x: right / 2, y: bottom / 2))
        )
    }

    @Test("As PNG the corners stay transparent, from the network and from disk")
    func png() async throws {
        let images = try await setTwice([
            .processor(processor), .cacheSerializer(FormatIndicatedCacheSerializer.png),
        ])
        for image in images {
            let (corners, middle) = try samples(image)
            #expect(corners.allSatisfy { $0.count == 4 && $0.last == 0 } && middle.last == 255)
        }
        let file = try #require(rig.bench.filesOnDisk.first)
        let data = try Data(contentsOf: rig.bench.cache.diskStorage.directoryURL.appending(path: file))
        #expect(data.kf.imageFormat == .PNG)
    }

    @Test("With the default serializer a JPEG stays a JPEG, and its corners are white when read from disk")
    func jpeg() async throws {
        let images = try await setTwice([.processor(processor)])
        let (fetched, read) = (try samples(images[0]), try samples(images[1]))
        #expect(fetched.corners.allSatisfy { $0.last == 0 })
        #expect(images[1].pixels?.format.isOpaque == true)
        // White may differ by a few steps in a JPEG.
        #expect(read.corners.allSatisfy { corner in corner.allSatisfy { $0 >= 250 } })
        #expect(zip(fetched.middle, read.middle).allSatisfy { abs($0 - $1) <= 8 })
        #expect(read.middle.prefix(3).contains { $0 < 200 })
    }
}
