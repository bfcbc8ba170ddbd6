import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing
@testable import Kingfisher

/// `.lowResolution(nil)`: smaller images of the same source in memory.
@Suite @MainActor struct SmallerImageTests {
    let rig: ImageViewLoadingRig

    init() throws { rig = try ImageViewLoadingRig() }

    nonisolated private static func downsampling(_ side: CGFloat) -> any ImageProcessor {
        DownsamplingImageProcessor(size: CGSize(width: side, height: side))
    }

    /// Whether a load with the processor `wanted` shows the image that `stored` made.
    private func isShown(
        _ stored: any ImageProcessor, for wanted: any ImageProcessor, _ extra: KingfisherOptionsInfo = []
    ) async throws -> Bool {
        let url = Bench.freshURL()
        let image = try await rig.bench.retrieve(url, [.processor(stored)]).get().image
        let placeholder = try Image.blank()
        rig.bench.stub.hold()
        let load = rig.load(
            url, placeholder: placeholder, [.lowResolution(nil), .processor(wanted)] + extra)
        let shown = rig.view.image
        rig.bench.stub.release()
        #expect(try await load.result().get().image === rig.view.image)
        #expect(shown === image || shown === placeholder)
        return shown === image
    }

    /// A processor in memory, one that is wanted, and whether the first stands in for the second.
    struct Pair: Sendable, CustomTestStringConvertible {
        let stored: any ImageProcessor
        let wanted: any ImageProcessor
        let isSame: Bool

        init(_ stored: any ImageProcessor, _ wanted: any ImageProcessor, _ isSame: Bool) {
            (self.stored, self.wanted, self.isSame) = (stored, wanted, isSame)
        }

        var testDescription: String { "\(stored.identifier) for \(wanted.identifier)" }
    }

    nonisolated static let pairs: [Pair] = {
        let (box, plain) = (CGSize(width: 8, height: 8), DefaultImageProcessor.default)
        let (small, large) = (downsampling(8), downsampling(24))
        let fitted = ResizingImageProcessor(referenceSize: box, mode: .aspectFit)
        let round = RoundCornerImageProcessor(cornerRadius: 2)
        let tint = TintImageProcessor(tint: .red)
        return [
            Pair(small, plain, true), Pair(small, large, true), Pair(large, small, false),
            Pair(large, fitted, false), Pair(FittingImageProcessor(size: box), plain, true),
            Pair(fitted, large, true), Pair(plain, large, false),
            Pair(ResizingImageProcessor(referenceSize: box), plain, false),
            Pair(CoveringImageProcessor(size: box), plain, false),
            Pair(CroppingImageProcessor(size: box), plain, false),
            Pair(BlurImageProcessor(blurRadius: 2), plain, false), Pair(round, plain, false),
            Pair(tint, plain, false), Pair(small |> tint, plain, false), Pair(small, tint, false),
            Pair(small |> tint, tint, true), Pair(small |> tint, large |> tint, true),
            Pair(tint |> small, large |> tint, true),
            Pair(small |> TintImageProcessor(tint: .blue), large |> tint, false),
            // A radius and a box are lengths: at another size, the result shows something else.
            Pair(small |> round, large |> round, false), Pair(round |> small, round |> large, true),
            Pair(
                small |> CroppingImageProcessor(size: box), large |> CroppingImageProcessor(size: box), false),
            Pair(
                small |> RotationImageProcessor(quarterTurns: 1), RotationImageProcessor(quarterTurns: 1),
                true),
        ]
    }()

    @Test("An image stands in for another if they differ only in their size", arguments: pairs)
    func pairs(pair: Pair) async throws {
        let isShown = try await isShown(pair.stored, for: pair.wanted)
        #expect(isShown == pair.isSame)
    }

    @Test("Without the option, and with forceRefresh, smaller images in memory are not shown")
    func notAsked() async throws {
        let plain = DefaultImageProcessor.default
        let isShownByRefresh = try await isShown(Self.downsampling(8), for: plain, [.forceRefresh])
        #expect(!isShownByRefresh)
        let url = Bench.freshURL()
        _ = try await rig.bench.retrieve(url, [.processor(Self.downsampling(8))]).get()
        rig.bench.stub.hold()
        let load = rig.load(url)
        #expect(rig.view.image == nil)
        rig.bench.stub.release()
        _ = try await load.result()
    }

    @Test("The largest of several images is shown, and one that was removed is not")
    func largest() async throws {
        var images: [Image] = []
        for side: CGFloat in [6, 20, 12] {
            images.append(
                try await rig.bench.retrieve(nil, [.processor(Self.downsampling(side))]).get().image)
        }
        rig.bench.stub.hold()
        let load = rig.load([.lowResolution(nil)])
        #expect(rig.view.image === images[1])
        rig.bench.cache.memoryStorage.remove(
            forKey: rig.bench.url.cacheKey.computedKey(with: Self.downsampling(20).identifier))
        let other = rig.load([.lowResolution(nil)])
        #expect(rig.view.image === images[2])
        rig.bench.cache.clearMemoryCache()
        let last = rig.load([.lowResolution(nil)])
        #expect(rig.view.image == nil)
        rig.bench.stub.release()
        for load in [load, other, last] { _ = try await load.result() }
    }

    @Test("The smaller image of an earlier version of a file is not shown")
    func changedFile() async throws {
        let folder = try TemporaryFolder()
        let file = folder.url.appending(path: "a.png")
        try TestImages.png.write(to: file)
        let source = Source.provider(LocalFileImageDataProvider(fileURL: file))
        let small = try await rig.bench.retrieve(source, [.processor(Self.downsampling(8))]).get().image
        let first = rig.load(source, [.lowResolution(nil)])
        #expect(rig.view.image === small)
        _ = try await first.result()
        rig.bench.cache.memoryStorage.remove(forKey: source.cacheKey)
        try Data(contentsOf: file).write(to: file, options: .atomic)
        let second = rig.load(source, [.lowResolution(nil)])
        #expect(rig.view.image == nil)
        _ = try await second.result()
    }

    @Test("A low source replaces a smaller image in memory only if it is larger", arguments: [4.0, 16])
    func lowSource(side: CGFloat) async throws {
        let cached = try await rig.bench.retrieve(nil, [.processor(Self.downsampling(side))]).get().image
        let low = GatedProvider(cacheKey: "low", gate: .init(), data: try LowResolutionTests.lowData)
        rig.bench.stub.hold()
        let load = rig.load([.lowResolution(.provider(low))])
        #expect(rig.view.image === cached)
        low.gate.open()
        #expect(await poll { rig.bench.cache.memoryStorage.isCached(forKey: "low") })
        if side < 8 {
            #expect(await poll { rig.view.image?.size == LowResolutionTests.lowSize })
        } else {
            await passMainQueue()
            #expect(rig.view.image === cached)
        }
        rig.bench.stub.release()
        #expect(try await load.result().get().image === rig.view.image)
    }

    @Test("A view that waits for its layout shows the smaller image")
    func waiting() async throws {
        let small = try await rig.bench.retrieve(nil, [.processor(Self.downsampling(8))]).get().image
        let renderer = RecordingRenderer()
        renderer.display = .none
        rig.view.renderer = renderer
        rig.view.contentMode = .scaleAspectFit
        let load = rig.load([.decodesToViewSize, .lowResolution(nil)])
        #expect(rig.view.image === small && load.outcomes.count == 0)
        renderer.canAnimate = false
        renderer.display = ViewDisplay(size: CGSize(width: 20, height: 20), scaleFactor: 1, isVisible: true)
        rig.view.displayDidChange()
        #expect(try await load.result().get().image.pixels?.width == 20)
    }
}
