import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// V-15: the places of one button are independent.
@Suite @MainActor struct ButtonLoadingTests {
    let button = Button()
    let bench: Bench
    static let places = LoadingPlace.allCases.filter { ![.imageView, .settable, .attachment].contains($0) }

    init() throws { bench = try Bench() }

    private func rigs() -> [LoadingPlaceRig] {
        Self.places.map { LoadingPlaceRig($0, on: button, bench) }
    }

    /// Starts a load in each place, and returns when all downloads have started.
    private func holdAll(_ rigs: [LoadingPlaceRig], _ url: URL? = nil) async -> [LoadingPlaceRig.Load] {
        var loads: [LoadingPlaceRig.Load] = []
        for rig in rigs { loads.append(await rig.hold { rig.load(url ?? Bench.freshURL()) }) }
        return loads
    }

    @Test("Places load concurrently, each with its own identifier and task", .behaviours("V-15"))
    func concurrentPlaces() async throws {
        let rigs = rigs()
        let loads = await holdAll(rigs)
        #expect(Set(rigs.compactMap(\.identifier)).count == rigs.count)
        #expect(Set(loads.compactMap { $0.task?.sessionTask.map(ObjectIdentifier.init) }).count == rigs.count)
        bench.stub.release()
        for (rig, load) in zip(rigs, loads) {
            let image = try await load.result().get().image
            #expect(rig.image === image && rig.identifier == nil)
        }
    }

    @Test("Places share a download, each with its own cancellation token", .behaviours("V-15"))
    func sharedDownload() async throws {
        let rigs = rigs()
        let loads = await holdAll(rigs, bench.url)
        #expect(Set(loads.compactMap { $0.task?.cancelToken }).count == rigs.count)
        bench.stub.release()
        for load in loads { _ = try await load.result().get() }
        #expect(bench.stub.requests.count == 1)
    }

    @Test("A new load supersedes only the load of the same place", .behaviours("V-15"))
    func supersededPlace() async throws {
        let rigs = rigs()
        let loads = await holdAll(rigs)
        let next = rigs[1].load(Bench.freshURL())
        bench.stub.release()
        for (index, load) in loads.enumerated() {
            #expect(try await (load.result().superseded != nil) == (index == 1))
        }
        let image = try await next.result().get().image
        #expect(rigs[1].image === image)
    }

    /// The kinds of image whose loads a button cancels together.
    enum Kind: Sendable, CaseIterable {
        case image, background, alternate

        func includes(_ place: LoadingPlace) -> Bool {
            switch place {
            case .image: self == .image
            case .background: self == .background
            default: self == .alternate
            }
        }
    }

    @Test(
        "Cancelling ends the loads of all states of one kind, and of no other kind", arguments: Kind.allCases)
    func cancel(kind: Kind) async throws {
        let loads = await holdAll(rigs())
        switch kind {
        case .image: button.kf.cancelImageDownloadTask()
        case .background: button.kf.cancelBackgroundImageDownloadTask()
        case .alternate: button.kf.cancelAlternateImageDownloadTask()
        }
        bench.stub.release()
        for (place, load) in zip(Self.places, loads) {
            let error = try await load.result().failure
            #expect((error?.isTaskCancelled == true) == kind.includes(place), "\(place)")
            #expect((error == nil) != kind.includes(place), "\(place)")
        }
    }

    @Test("prepareForReuse removes what the loads have shown and will show, but no other image")
    func emptied() async throws {
        let (renderer, own, failure) = (RecordingRenderer(), try Image.blank(), try Image.blank())
        button.setImage(own, for: .disabled)
        let image = LoadingPlaceRig(.image(.normal), on: button, bench)
        let background = LoadingPlaceRig(.background(.normal), on: button, bench)
        _ = try await image.load().result().get()
        let provider = PendingProvider()
        let late = background.load(.provider(provider), [.onFailureImage(failure)])
        _ = try await provider.asked.first()
        button.renderer = renderer
        button.kf.prepareForReuse()
        #expect(!button.accessibility.isBusy && renderer.takeChanges().contains(.accessibility))
        #expect(try await late.result().failure != nil)
        #expect(image.image == nil && background.image == nil && button.image(for: .disabled) === own)
    }

    @Test("Without a state the normal one is used") func defaultState() async throws {
        bench.stub.hold()
        let done = Inbox<ImageViewLoadingRig.Outcome>()
        button.kf.setImage(
            with: bench.url, options: [.downloader(bench.downloader), .targetCache(bench.cache)]
        ) { done.put($0) }
        #expect(button.kf.taskIdentifier != nil)
        #expect(button.kf.taskIdentifier == button.kf.taskIdentifier(for: .normal))
        #expect(button.kf.taskIdentifier(for: .selected) == nil)
        bench.stub.release()
        let image = try await done.first().get().image
        #expect(button.image === image && button.currentImage === image)
    }

    @Test("keepCurrentImageWhileLoading applies to an image of the same state only")
    func currentImageOfState() throws {
        let (normal, placeholder) = (try Image.blank(), try Image.blank())
        button.setImage(normal, for: .normal)
        bench.stub.hold()
        button.kf.setImage(
            with: bench.url, for: .highlighted, placeholder: placeholder,
            options: [
                .downloader(bench.downloader), .targetCache(bench.cache), .keepCurrentImageWhileLoading,
            ])
        #expect(button.image(for: .highlighted) === placeholder && button.image === normal)
        button.kf.cancelImageDownloadTask()
    }

    @Test("Parsed options are used unchanged") func parsedOptions() async throws {
        var options = KingfisherParsedOptionsInfo([
            .downloader(bench.downloader), .targetCache(bench.cache),
        ])
        options.scaleFactor = 2
        let done = Inbox<ImageViewLoadingRig.Outcome>()
        button.kf.setImage(
            with: .network(bench.url), for: .selected, parsedOptions: options,
            completionHandler: { done.put($0) })
        #expect(try await done.first().get().image.scale == 2)
        #expect(button.image(for: .selected)?.scale == 2 && button.image == nil)
    }

    @Test("Cancelling does not affect loads that start in the cancelled loads' handlers")
    func loadsStartedInHandlers() async throws {
        let states: [ControlState] = [.normal, .selected]
        let outcomes = Inbox<ImageViewLoadingRig.Outcome>()
        let options: KingfisherOptionsInfo = [.downloader(bench.downloader), .targetCache(bench.cache)]
        var isFirst = true
        bench.stub.hold()
        for (state, other) in zip(states, states.reversed()) {
            let task = button.kf.setImage(with: Bench.freshURL(), for: state, options: options) { _ in
                guard isFirst else { return }
                isFirst = false
                button.kf.setImage(with: Bench.freshURL(), for: other, options: options) { outcomes.put($0) }
            }
            #expect(await poll { @Sendable in task?.isInitialized == true })
        }
        button.kf.cancelImageDownloadTask()
        bench.stub.release()
        _ = try await outcomes.first().get()
    }
}
