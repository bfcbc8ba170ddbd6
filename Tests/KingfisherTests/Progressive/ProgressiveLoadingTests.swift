import Foundation
import KingfisherImage
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// `.progressiveJPEG` in a view, from the transport to the displayed image.
@Suite(.serialized) @MainActor struct ProgressiveLoadingTests {
    typealias Outcome = Result<RetrieveImageResult, KingfisherError>

    let rig: PreviewRig
    let view = ImageView()
    let outcomes = Inbox<Outcome>()
    let url = Bench.freshURL("jpg")

    init() throws { rig = try PreviewRig() }

    @discardableResult
    private func load(
        _ progressive: ImageProgressive?, in view: ImageView? = nil, placeholder: (any Placeholder)? = nil,
        _ extra: KingfisherOptionsInfo = []
    ) -> DownloadTask? {
        (view ?? self.view).kf.setImage(
            with: url, placeholder: placeholder,
            options: rig.options + extra + (progressive.map { [.progressiveJPEG($0)] } ?? [])
        ) { outcomes.put($0) }
    }

    /// Starts a load, and sends the head of its response.
    @discardableResult
    private func begin(
        _ progressive: ImageProgressive?, in view: ImageView? = nil, placeholder: (any Placeholder)? = nil,
        _ extra: KingfisherOptionsInfo = []
    ) async -> DownloadTask? {
        let task = load(progressive, in: view, placeholder: placeholder, extra)
        await rig.begin()
        return task
    }

    private func expect(_ image: Image?, shows scan: Int, sourceLocation: SourceLocation = #_sourceLocation)
        throws
    {
        let expected = try TestImages.image(rig.file.cut(behind: scan))
        #expect(samePixels(image, expected), "scan \(scan)", sourceLocation: sourceLocation)
    }

    @Test("An image is shown scan by scan, then completely") func scans() async throws {
        let placeholder = RecordingPlaceholder()
        view.kf.indicatorType = .activity
        await begin(rig.progressive(), placeholder: placeholder, [.transition(.fade(1))])
        await rig.settle()
        #expect(placeholder.isShown && view.image == nil)
        for scan in 1...9 {
            await rig.receive(scan - 1, to: scan)
            try expect(view.image, shows: scan)
            #expect(rig.asked.count == scan && rig.asked.values.last === view.image)
            #expect(!placeholder.isShown && view.kf.indicator?.view.isHidden == false)
            #expect(view.runningTransition == nil && view.kf.taskIdentifier != nil && outcomes.count == 0)
        }
        await rig.receive(9, to: 10)
        rig.transport.finish()
        let result = try await outcomes.first().get()
        await rig.settle()
        #expect(outcomes.count == 1 && rig.asked.count == 9)
        #expect(view.image === result.image && view.kf.indicator?.view.isHidden == true)
        #expect(samePixels(view.image, try TestImages.image(rig.file.data)))
        #expect(result.data() == rig.file.data && placeholder.removed == 1)
    }

    @Test("Single bytes give the same previews as large parts") func singleBytes() async throws {
        await begin(rig.progressive(isFastestScan: false))
        for byte in rig.file.upTo(scan: 4) { rig.transport.send(Data([byte])) }
        await rig.settle()
        try expect(view.image, shows: 4)
        #expect(rig.asked.count == 4)
    }

    @Test("Early scans are blurred") func blur() async throws {
        await begin(rig.progressive(isBlur: true))
        await rig.receive(0, to: 1)
        let blurred = try TestImages.image(rig.file.cut(behind: 1)).kf.blurred(withRadius: 10)
        #expect(samePixels(view.image, blurred))
        await rig.receive(1, to: 6)
        try expect(view.image, shows: 6)
    }

    @Test("The fastest scan skips earlier ones") func fastestScan() async throws {
        await begin(rig.progressive())
        await rig.receive(0, to: 7)
        try expect(view.image, shows: 7)
        #expect(rig.asked.count == 1)
    }

    @Test("Without the fastest-scan option every scan is shown") func everyScan() async throws {
        await begin(rig.progressive(isFastestScan: false))
        await rig.receive(0, to: 7)
        #expect(rig.asked.count == 7)
        for (index, image) in rig.asked.values.enumerated() { try expect(image, shows: index + 1) }
    }

    @Test("onImageUpdated may retain the current image or replace the preview") func updatingStrategies()
        async throws
    {
        let other = try TestImages.image
        await begin(rig.progressive { _ in .keepCurrent }, placeholder: other)
        await rig.receive(0, to: 2)
        #expect(view.image === other && rig.asked.count == 1)

        let second = ImageView()
        load(rig.progressive { _ in .replace(other) }, in: second)
        try await rig.asks(2)
        #expect(second.image === other && rig.asked.count == 2)

        let third = ImageView(image: other)
        load(rig.progressive { _ in .replace(nil) }, in: third, [.keepCurrentImageWhileLoading])
        #expect(third.image === other)
        try await rig.asks(3)
        #expect(third.image == nil && rig.asked.count == 3)
    }

    @Test("Without a delegate closure previews are shown") func withoutClosure() async throws {
        await begin(ImageProgressive(isBlur: false, isFastestScan: true, scanInterval: 0))
        await rig.receive(0, to: 3)
        try expect(view.image, shows: 3)
    }

    @Test("A view that joins a download shows the current and all later previews") func joiningView()
        async throws
    {
        await begin(rig.progressive())
        await rig.receive(0, to: 3)
        let second = ImageView()
        load(rig.progressive(), in: second)
        try await rig.asks(2)
        try expect(second.image, shows: 3)
        await rig.receive(3, to: 5)
        try expect(view.image, shows: 5)
        try expect(second.image, shows: 5)
        await rig.receive(5, to: 10)
        rig.transport.finish()
        _ = try await outcomes.first(2)
        #expect(rig.transport.started == 1 && view.image === second.image)
    }

    @Test("No preview is shown after a cancellation") func cancellation() async throws {
        let task = await begin(rig.progressive())
        await rig.receive(0, to: 1)
        let shown = view.image
        let first = rig.file.piece(after: 1, upTo: 5)
        rig.transport.send(first)
        task?.cancel()
        rig.transport.send(rig.file.piece(after: 5, upTo: 9))
        await rig.settle()
        #expect(view.image === shown && rig.asked.count == 1)
        #expect(reason(try await outcomes.first()) == "taskCancelled")
    }

    @Test("No preview of a superseded load is shown") func supersededLoad() async throws {
        await begin(rig.progressive())
        await rig.receive(0, to: 1)
        let other = try TestImages.image
        rig.cache.memoryStorage.store(value: other, forKey: "other")
        rig.transport.send(rig.file.piece(after: 1, upTo: 5))
        view.kf.setImage(
            with: CachedResource.other, options: rig.options + [.onlyFromCache])
        #expect(view.image === other)
        await rig.receive(5, to: 9)
        #expect(view.image === other && rig.asked.count == 1)
    }

    @Test("onImageUpdated may cancel the load") func cancellationInClosure() async throws {
        let view = view
        load(
            rig.progressive { _ in
                MainActor.assumeIsolated { view.kf.cancelDownloadTask() }
                return .default
            })
        await rig.begin()
        await rig.receive(0, to: 3)
        #expect(view.image == nil && rig.asked.count == 1 && outcomes.count == 1)
    }

    @Test("Cached, complete and non-progressive images have no previews") func noPreviews() async throws {
        await begin(rig.progressive())
        await rig.receive(0, to: 10)  // in one part
        rig.transport.finish()
        _ = try await outcomes.first()
        load(rig.progressive())  // from memory
        rig.cache.clearMemoryCache()
        load(rig.progressive())  // from disk
        _ = try await outcomes.first(3)
        for (count, data) in [try Fixtures.data(named: "JPEG/three-scans.jpg"), try TestImages.png]
            .enumerated()
        {
            load(rig.progressive(), [.forceRefresh])
            await rig.begin(count + 2)
            for byte in data.dropLast() { rig.transport.send(Data([byte])) }
            await rig.settle()
            #expect(view.image == nil)
            rig.transport.send(data.suffix(1))
            rig.transport.finish()
            _ = try await outcomes.first(count + 4)
        }
        await rig.settle()
        #expect(rig.asked.count == 0 && rig.transport.started == 3)
        for outcome in outcomes.values { _ = try outcome.get() }
    }

    @Test("Without the option there are no previews") func withoutOption() async throws {
        await begin(nil)
        await rig.receive(0, to: 9)
        #expect(view.image == nil)
    }

    @Test("A corrupt file ends the previews and fails the load") func corruptFile() async throws {
        await begin(rig.progressive(), [.onFailureImage(nil)])
        await rig.receive(0, to: 2)
        try expect(view.image, shows: 2)
        // A scan of components that the frame does not have.
        rig.transport.send(Data([0x00, 0x08, 0x01, 0x77, 0x00, 0x00, 0x3F, 0x00, 1, 2, 3, 0xFF, 0xDA]))
        await rig.settle()
        #expect(rig.asked.count == 1)
        rig.transport.send(Data([0x00, 0x08, 0x01, 0x77, 0x00, 0x00, 0x3F, 0x00, 1, 2, 3, 0xFF, 0xD9]))
        rig.transport.finish()
        #expect(reason(try await outcomes.first()) == "processingFailed")
        await rig.settle()
        #expect(rig.asked.count == 1 && view.image == nil)
    }

    @Test("After a lost connection the last preview stays until the next load shows an image")
    func lostConnection() async throws {
        await begin(rig.progressive(), [.alternativeSources([.network(Bench.freshURL("jpg"))])])
        await rig.receive(0, to: 6)
        rig.transport.fail()
        await rig.begin(2)
        try expect(view.image, shows: 6)
        await rig.receive(0, to: 2)
        try expect(view.image, shows: 2)
        await rig.receive(2, to: 10)
        rig.transport.finish()
        #expect(samePixels(try await outcomes.first().get().image, try TestImages.image(rig.file.data)))
    }

    @Test("Round corners apply from the first scan on") func roundCorners() async throws {
        load(
            rig.progressive(isBlur: true),
            [.processor(RoundCornerImageProcessor(radius: .widthFraction(0.5)))])
        await rig.begin()
        await rig.receive(0, to: 1)
        let pixels = try #require(view.image?.pixels)
        #expect(pixels.samples(x: 0, y: 0)?.last == 0 && pixels.samples(x: 40, y: 28)?.last == 255)
    }

    @Test("Every loading place shows previews", arguments: LoadingPlace.allCases)
    func loadingPlaces(place: LoadingPlace) async throws {
        let place = LoadingPlaceRig(place, try Bench())
        _ = place.start(
            .network(url), try TestImages.image, rig.options + [.progressiveJPEG(rig.progressive())]
        ) { outcomes.put($0) }
        await rig.begin()
        await rig.receive(0, to: 2)
        try expect(place.image, shows: 2)
        place.cancel()
        await rig.receive(2, to: 5)
        try expect(place.image, shows: 2)
    }

    @Test("A view is released with its load") func releasedView() async throws {
        weak var weakReference: ImageView?
        do {
            let view = ImageView()
            weakReference = view
            await begin(rig.progressive(), in: view)
            await rig.receive(0, to: 2)
            #expect(view.image != nil)
        }
        await rig.receive(2, to: 10)
        rig.transport.finish()
        _ = try await outcomes.first()
        for _ in 0..<1_000 where weakReference != nil {
            try await Task.sleep(for: .milliseconds(2))
        }
        #expect(weakReference == nil)
    }
}

/// A resource that is in the cache only.
private enum CachedResource {
    static let other = KF.ImageResource(downloadURL: Bench.freshURL(), cacheKey: "other")
}
