import Foundation
import KingfisherStorage
import KingfisherTestSupport
import TestHelpers
import Testing
@testable import Kingfisher

@Suite @MainActor struct FileWatchTests {
    let rig: LoadingPlaceRig
    let folder: TemporaryFolder
    let folders = WatchedFolders()
    let file: URL

    init() throws { try self.init(.imageView) }

    private init(_ place: LoadingPlace) throws {
        (rig, folder) = (try LoadingPlaceRig(place), try TemporaryFolder())
        file = folder.url.appending(path: "a.png")
        try write(8)
    }

    /// A PNG of `side` x `side` pixels.
    private func png(_ side: Int) throws -> Data {
        try #require(try Image.blank(width: side, height: side).kf.pngRepresentation())
    }

    /// Writes the file in place.
    private func write(_ side: Int) throws { try png(side).write(to: file) }

    private func load(
        _ extra: KingfisherOptionsInfo = [], by folders: WatchedFolders? = nil
    ) -> LoadingPlaceRig.Load {
        FileWatch.$folders.withValue(folders ?? self.folders) {
            rig.load(.provider(LocalFileImageDataProvider(fileURL: file)), [.watchesFile] + extra)
        }
    }

    /// Loads the file and waits until its folder is watched.
    private func loaded(_ extra: KingfisherOptionsInfo = []) async throws -> LoadingPlaceRig.Load {
        let load = load(extra)
        _ = try await load.result().get()
        #expect(rig.image?.size.width == 8)
        #expect(await poll { folders.watchedCount == 1 })
        return load
    }

    private func shows(_ side: Int) async -> Bool {
        await poll { rig.image?.size.width == CGFloat(side) }
    }

    /// Returns after the events so far were handled, on the watches' queue and the main queue.
    private func fence() async throws {
        let reports = Inbox<Void>()
        let watch = folders.watch(Array(folder.url.appending(path: "fence").path.utf8)) { reports.put() }
        _ = try await reports.first()
        try Data([1]).write(to: folder.url.appending(path: "fence"))
        _ = try await reports.first(2)
        withExtendedLifetime(watch) {}
        await passMainQueue()
    }

    @Test(
        "A file that is written in place or replaced is shown, without another completion",
        arguments: LoadingPlace.allCases)
    func changed(place: LoadingPlace) async throws {
        let test = try FileWatchTests(place)
        let load = try await test.loaded()
        try test.write(9)
        #expect(await test.shows(9))
        try test.png(10).write(to: test.file, options: .atomic)
        #expect(await test.shows(10))
        #expect(load.outcomes.count == 1 && test.rig.identifier == nil)
    }

    @Test("A file URL is watched", arguments: [false, true])
    func fileURL(isTrusted: Bool) async throws {
        let done = Inbox<Void>()
        FileWatch.$folders.withValue(folders) {
            let options = isTrusted ? [.trustsLocalFiles] : [] as KingfisherOptionsInfo
            rig.imageView.kf.setImage(
                with: file, options: [.watchesFile, .targetCache(rig.bench.cache)] + options,
                completionHandler: { _ in done.put() })
        }
        _ = try await done.first()
        #expect(await shows(8))
        #expect(await poll { folders.watchedCount == 1 })
        try write(9)
        #expect(await shows(9))
    }

    @Test("The new image crossfades in")
    func crossfade() async throws {
        let renderer = RecordingRenderer()
        rig.imageView.renderer = renderer
        _ = try await loaded()
        let old = rig.image
        try write(9)
        #expect(await poll { rig.imageView.runningTransition != nil })
        let transition = try #require(rig.imageView.runningTransition)
        #expect(transition.originImage === old && transition.effect == .crossDissolve)
        #expect(rig.image?.size.width == 9)
    }

    @Test("The image of a deleted file stays, and a file that is made again is shown")
    func deleted() async throws {
        _ = try await loaded()
        try FileManager.default.removeItem(at: file)
        try await fence()
        #expect(rig.image?.size.width == 8)
        try write(9)
        #expect(await shows(9))
        try FileManager.default.removeItem(at: folder.url)
        try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: true)
        try write(10)
        #expect(await shows(10))
    }

    @Test("A half-written, truncated or malformed file keeps the image until the file is complete")
    func malformed() async throws {
        _ = try await loaded([.acceptsPartialImages])
        let new = try png(64)
        for bytes in [Data(), TestImages.garbage, new.dropLast(30)] {
            try bytes.write(to: file)
            try await fence()
            try await rig.bench.cache.settle()
            #expect(rig.image?.size.width == 8)
        }
        let writer = try FileHandle(forWritingTo: file)
        try writer.truncate(atOffset: 0)
        try writer.write(contentsOf: new.prefix(40))
        try await fence()
        #expect(rig.image?.size.width == 8)
        try writer.write(contentsOf: new.dropFirst(40))
        try await fence()
        #expect(rig.image?.size.width == 8)
        try writer.close()
        #expect(await shows(64))
    }

    @Test("A file that is missing at first is shown once it exists; the load has failed once")
    func missing() async throws {
        try FileManager.default.removeItem(at: file)
        let load = load()
        #expect(reason(try await load.result()) == "dataProviderError")
        #expect(await poll { folders.watchedCount == 1 })
        try write(9)
        #expect(await shows(9))
        #expect(load.outcomes.count == 1)
    }

    @Test("A change during the load is shown after it")
    func changedDuringLoad() async throws {
        let (queue, valve) = held()
        let load = load([.processingQueue(.dispatch(queue))])
        try png(9).write(to: file, options: .atomic)
        valve.open()
        _ = try await load.result().get()
        #expect(await shows(9))
    }

    /// A queue on which nothing runs until the valve is open.
    private func held() -> (DispatchQueue, Valve) {
        let (queue, valve) = (MarkedQueue().queue, Valve())
        queue.async { valve.pass() }
        return (queue, valve)
    }

    /// What ends a watch.
    enum End: CaseIterable { case otherSource, noSource, cancellation, cancelledTask, emptying }

    @Test("Another source, a cancellation and prepareForReuse end the watch", arguments: End.allCases)
    func ends(end: End) async throws {
        let load: LoadingPlaceRig.Load
        if end == .cancelledTask {
            let (queue, valve) = held()
            load = self.load([.processingQueue(.dispatch(queue))])
            load.task?.cancel()
            valve.open()
        } else {
            load = try await loaded()
        }
        switch end {
        case .otherSource: _ = rig.load(rig.bench.url)
        case .noSource: _ = rig.load(nil as Source?)
        case .cancellation: rig.cancel()
        case .cancelledTask: break
        case .emptying: rig.imageView.kf.prepareForReuse()
        }
        _ = try await load.result()
        #expect(await poll { rig.imageView.loading.current.watch == nil })
        #expect(await poll { folders.watchedCount == 0 })
    }

    @Test("A cancellation after the load ends the watch", arguments: LoadingPlace.allCases)
    func cancelled(place: LoadingPlace) async throws {
        let test = try FileWatchTests(place)
        _ = try await test.loaded()
        test.rig.cancel()
        #expect(await poll { test.folders.watchedCount == 0 })
    }

    @Test("A released view ends its watch", arguments: [false, true])
    func released(isButton: Bool) async throws {
        var view: View? = isButton ? Button() : ImageView()
        let done = Inbox<Void>()
        FileWatch.$folders.withValue(folders) {
            let source = Source.provider(LocalFileImageDataProvider(fileURL: file))
            let options: KingfisherOptionsInfo = [.watchesFile, .targetCache(rig.bench.cache)]
            if let button = view as? Button {
                button.kf.setImage(with: source, for: .normal, options: options) { _ in done.put() }
            } else if let view = view as? ImageView {
                view.kf.setImage(with: source, options: options) { _ in done.put() }
            }
        }
        _ = try await done.first()
        #expect(await poll { folders.watchedCount == 1 })
        view = nil
        #expect(await poll { folders.watchedCount == 0 })
    }

    /// Why a folder reports nothing.
    enum Absence: CaseIterable { case offScreen, noRoom, remote }

    @Test(
        "A view that is off screen, or whose folder reports nothing, loads the file when it appears",
        arguments: Absence.allCases, [LoadingPlace.imageView, .image(.normal)])
    func appears(absence: Absence, place: LoadingPlace) async throws {
        let test = try FileWatchTests(place)
        let full = FileSystem { call, _ in call == .watch ? ENOSPC : 0 }
        let folders =
            switch absence {
            case .offScreen: test.folders
            case .noRoom: WatchedFolders(fileSystem: full)
            case .remote: WatchedFolders(isRemote: { _ in true })
            }
        let renderer = RecordingRenderer()
        renderer.canAnimate = false
        let view: View = place == .imageView ? test.rig.imageView : test.rig.button
        view.renderer = renderer
        _ = try await test.load(by: folders).result().get()
        renderer.display.isVisible = false
        view.displayDidChange()
        try test.write(9)
        try await test.fence()
        #expect(test.rig.image?.size.width == 8)
        renderer.display.isVisible = true
        view.displayDidChange()
        #expect(await test.shows(9))
    }

    @Test("Many changes end with the last content, and the load completes once")
    func manyChanges() async throws {
        let load = try await loaded()
        for side in 9..<60 {
            if side.isMultiple(of: 2) {
                try write(side)
            } else {
                try png(side).write(to: file, options: .atomic)
            }
        }
        #expect(await shows(59))
        #expect(load.outcomes.count == 1)
    }

    @Test("Without the option the file is not watched, and neither is another source")
    func notWatched() async throws {
        FileWatch.$folders.withValue(folders) {
            _ = rig.load(.provider(LocalFileImageDataProvider(fileURL: file)))
            #expect(rig.imageView.loading.current.watch == nil)
            _ = rig.load(rig.bench.url, [.watchesFile])
            #expect(rig.imageView.loading.current.watch == nil)
        }
    }
}
