import Foundation
import KingfisherTestSupport
import Synchronization
import TestHelpers
import Testing

@testable import Kingfisher

/// Loads of views that are scrolled, hidden and shown.
@Suite @MainActor struct OnScreenLoadingTests {
    let rig: ImageViewLoadingRig
    let renderer = RecordingRenderer()
    let timer = ManualTimer()
    let queue = OffscreenLoads()

    init() throws {
        rig = try ImageViewLoadingRig()
        rig.view.renderer = renderer
        rig.view.loading.timer = timer
    }

    var view: ImageView { rig.view }
    var stub: StubTransport { rig.bench.stub }

    func scroll(to distance: CGFloat?, crossingTime: TimeInterval = .infinity) {
        renderer.scrollPlace = distance.map { ScrollPlace(distance: $0, crossingTime: crossingTime) }
        view.scrollPlaceDidChange()
    }

    func show(_ isVisible: Bool) async {
        renderer.display.isVisible = isVisible
        view.displayDidChange()
        await passMainQueue()
    }

    private func hide(for seconds: TimeInterval) async {
        await show(false)
        timer.advance(by: seconds)
        await passMainQueue()
    }

    private func noTransfers() async -> Bool {
        let stub = stub
        return await poll { stub.liveTransfers == 0 }
    }

    private func requests(_ count: Int) async -> Bool {
        let stub = stub
        return await poll { stub.requests.count == count }
    }

    @Test("While the view passes, a load waits, and starts when scrolling slows down")
    func passing() async throws {
        scroll(to: 0, crossingTime: 0.2)
        let load = rig.load()
        #expect(load.task != nil && view.followsScrolling)
        scroll(to: 0, crossingTime: 0.3)
        #expect(stub.requests.isEmpty && load.outcomes.count == 0)
        scroll(to: 0, crossingTime: 2)
        #expect(try await load.result().failure == nil)
        #expect(stub.requests.count == 1 && !view.followsScrolling)
    }

    @Test("While the view passes, an image in memory is shown before the call returns")
    func passingInMemory() async throws {
        #expect(try await rig.load(in: rig.other).result().failure == nil)
        scroll(to: 0, crossingTime: 0.2)
        let load = rig.load()
        #expect(load.task == nil && load.outcomes.count == 1 && view.image != nil)
    }

    @Test("A load that was replaced while it waited completes with notCurrentSourceTask, without a request")
    func replacedWhilePassing() async throws {
        scroll(to: 0, crossingTime: 0.2)
        let first = rig.load(Bench.freshURL())
        let second = rig.load()
        scroll(to: 0)
        #expect(try await first.result().superseded != nil)
        #expect(try await second.result().failure == nil)
        #expect(stub.requests.count == 1)
    }

    @Test("A load of a view that loads on appearance waits for it", arguments: [false, true])
    func loadsOnAppear(isInMemory: Bool) async throws {
        if isInMemory { #expect(try await rig.load(in: rig.other).result().failure == nil) }
        await show(false)
        view.kf.loadsOnAppear = true
        let requests = stub.requests.count
        let load = rig.load()
        #expect(load.outcomes.count == (isInMemory ? 1 : 0) && stub.requests.count == requests)
        await show(true)
        #expect(try await load.result().failure == nil)
        #expect(stub.requests.count == 1)
    }

    @Test("The download of a view that leaves the screen is lowered in priority until the view is back")
    func lowered() async throws {
        scroll(to: 0)
        let load = await rig.hold { rig.load([.downloadPriority(0.8)]) }
        let transfer = try #require(load.task?.sessionTask)
        #expect(transfer.priority == 0.8)
        scroll(to: 10)
        let near = transfer.priority
        #expect(near <= 0.4 && near > 0.3)
        scroll(to: 3_000)
        #expect(transfer.priority < near)
        await show(false)
        #expect(transfer.priority == 0)
        await show(true)
        scroll(to: 0)
        #expect(transfer.priority == 0.8)
        stub.release()
        #expect(try await load.result().failure == nil)
    }

    @Test("The next source after a failure has the priority of a view that is off screen, and follows it")
    func loweredAfterFailure() async throws {
        scroll(to: 0)
        stub.hold()
        let provider = PendingProvider()
        let alternative = Source.network(rig.bench.url)
        let load = rig.load(
            .provider(provider), [.downloadPriority(0.8), .alternativeSources([alternative])])
        _ = try await provider.asked.first()
        scroll(to: 3_000)
        provider.fail()
        #expect(await requests(1))
        let transfer = try #require(rig.bench.downloader.transfers.withLock { $0.values.first })
        #expect(transfer.priority < 0.4)
        scroll(to: 0)
        #expect(transfer.priority == 0.8)
        stub.release()
        #expect(try await load.result().failure == nil)
    }

    @Test("Without cancelOnDisappear a load continues off screen")
    func continues() async throws {
        let load = await rig.hold { rig.load() }
        await hide(for: 1e6)
        stub.release()
        #expect(try await load.result().failure == nil)
    }

    @Test("A load is cancelled after the delay, starts again on appearance and completes once")
    func suspended() async throws {
        view.kf.cancelOnDisappear = .seconds(2)
        let load = await rig.hold { rig.load() }
        await hide(for: 1.9)
        // The transfer may start after the request that was held.
        #expect(await poll { stub.liveTransfers == 1 })
        timer.advance(by: 0.2)
        #expect(await noTransfers())
        await passMainQueue()
        #expect(load.outcomes.count == 0 && view.kf.taskIdentifier != nil)
        #expect(load.task?.isInitialized == false)
        stub.release()
        await show(true)
        #expect(try await load.result().failure == nil)
        #expect(stub.requests.count == 2 && view.image != nil && view.kf.taskIdentifier == nil)
    }

    @Test("A load whose data provider runs is suspended and starts again", arguments: [false, true])
    func suspendedProvider(isCancelled: Bool) async throws {
        view.kf.cancelOnDisappear = .zero
        let provider = PendingProvider()
        let load = rig.load(.provider(provider))
        _ = try await provider.asked.first()
        await hide(for: 1)
        #expect(load.outcomes.count == 0 && view.loading.wait?.isSuspended == true)
        if isCancelled {
            load.task?.cancel()
            #expect(try await load.result().failure != nil && view.kf.taskIdentifier == nil)
        }
        await show(true)
        if !isCancelled {
            _ = try await provider.asked.first(2)
            view.kf.cancelDownloadTask()
            #expect(try await load.result().failure != nil)
        }
    }

    @Test("A load that a program has cancelled is not started again, even if its provider is slow")
    func cancelledBeforeDisappearance() async throws {
        view.kf.cancelOnDisappear = .zero
        let provider = PendingProvider()
        let load = rig.load(.provider(provider))
        _ = try await provider.asked.first()
        load.task?.cancel()
        await show(false)
        timer.advance(by: 1)
        await show(true)
        #expect(try await load.result().failure != nil)
        #expect(provider.asked.count == 1)
    }

    @Test("cancelOnDisappear applies to a view that is away already, and nil stops the delay")
    func changedWhileAway() async throws {
        let load = await rig.hold { rig.load() }
        await show(false)
        view.kf.cancelOnDisappear = .seconds(1)
        view.kf.cancelOnDisappear = nil
        timer.advance(by: 2)
        await passMainQueue()
        #expect(stub.liveTransfers == 1)
        view.kf.cancelOnDisappear = .seconds(1)
        timer.advance(by: 2)
        #expect(await noTransfers())
        stub.release()
        await show(true)
        #expect(try await load.result().failure == nil)
    }

    @Test("Views that wait out of sight when their page is hidden still load eight at a time")
    func hiddenPage() async throws {
        stub.hold()
        let cells = (0..<20).map { _ in (ImageView(), RecordingRenderer()) }
        defer { withExtendedLifetime(cells) {} }
        var loads: [ImageViewLoadingRig.Load] = []
        for (number, (view, renderer)) in cells.enumerated() {
            renderer.scrollPlace = ScrollPlace(distance: 500)
            (view.renderer, view.loading.offscreenLoads) = (renderer, queue)
            let url = URL(string: "http://stub.invalid/page-\(number)")
            loads.append(rig.load(url, in: view, [.forceRefresh]))
        }
        #expect(await requests(8))
        for (view, renderer) in cells {
            (renderer.scrollPlace, renderer.display.isVisible) = (nil, false)
            view.displayDidChange()
        }
        await passMainQueue()
        await passMainQueue()
        #expect(stub.requests.count == 8)
        stub.release()
        for load in loads { #expect(try await load.result().failure == nil) }
    }

    @Test("prepareForReuse removes what a completion handler shows, and its load's late failure is not shown")
    func emptied() async throws {
        let provider = PendingProvider()
        let failure = try Image.blank()
        let load = rig.load(.provider(provider), [.onFailureImage(failure)])
        _ = try await provider.asked.first()
        view.kf.prepareForReuse()
        #expect(view.kf.taskIdentifier == nil)
        #expect(try await load.result().failure != nil)
        #expect(view.image == nil)
    }

    @Test("A view that is back before the delay continues its load")
    func backInTime() async throws {
        view.kf.cancelOnDisappear = .seconds(2)
        let load = await rig.hold { rig.load() }
        await show(false)
        timer.advance(by: 1)
        await show(true)
        timer.advance(by: 1.5)
        await passMainQueue()
        #expect(stub.liveTransfers == 1)
        await hide(for: 1)
        #expect(stub.liveTransfers == 1)
        stub.release()
        #expect(try await load.result().failure == nil)
        #expect(stub.requests.count == 1)
    }

    @Test("A suspended load can be cancelled", arguments: ["view", "task", "prepareForReuse", "replaced"])
    func endWhileSuspended(by way: String) async throws {
        view.kf.cancelOnDisappear = .zero
        let load = await rig.hold { rig.load() }
        await show(false)
        timer.advance(by: 1)
        #expect(await noTransfers())
        await passMainQueue()
        switch way {
        case "view": view.kf.cancelDownloadTask()
        case "task": load.task?.cancel()
        case "prepareForReuse": view.kf.prepareForReuse()
        default: view.kf.setImage(with: nil as URL?)
        }
        let error = try #require(try await load.result().failure)
        #expect(way == "replaced" ? error.isNotCurrentTask : error.isTaskCancelled)
        await show(true)
        #expect(stub.requests.count == 1 && view.kf.taskIdentifier == nil)
        stub.release()
    }

    @Test("Views out of sight load eight at a time, nearest first, and visible ones immediately")
    func nearestFirst() async throws {
        stub.hold()
        func cell(_ distance: CGFloat) -> (ImageView, RecordingRenderer) {
            let (view, renderer) = (ImageView(), RecordingRenderer())
            renderer.scrollPlace = ScrollPlace(distance: distance)
            (view.renderer, view.loading.offscreenLoads) = (renderer, queue)
            return (view, renderer)
        }
        func load(_ name: String, in view: ImageView) -> ImageViewLoadingRig.Load {
            rig.load(URL(string: "http://stub.invalid/\(name)"), in: view, [.forceRefresh])
        }
        func started() -> [String] { stub.requests.compactMap { $0.url?.lastPathComponent } }
        let others = (0..<8).map { _ in cell(100) }
        defer { withExtendedLifetime(others) {} }
        var loads = others.enumerated().map { load("other-\($0)", in: $1.0) }
        #expect(await requests(8))
        let distances: [CGFloat] = [500, 30, 10, 1_000, 20]
        let cells = distances.map(cell)
        defer { withExtendedLifetime(cells) {} }
        loads += zip(cells, distances).map { load("\(Int($1))", in: $0.0) }
        let visible = cell(0)
        defer { withExtendedLifetime(visible) {} }
        loads.append(load("visible", in: visible.0))
        #expect(await requests(9))
        #expect(started().last == "visible")
        // Nine loads run. From the second that ends, each lets another one start.
        others[0].0.kf.cancelDownloadTask()
        for (index, count) in (10...13).enumerated() {
            others[index + 1].0.kf.cancelDownloadTask()
            #expect(await requests(count))
        }
        #expect(started().suffix(4) == ["10", "20", "30", "500"])
        stub.release()
        for load in loads.dropFirst(5) { #expect(try await load.result().failure == nil) }
        #expect(started().last == "1000")
    }
}
