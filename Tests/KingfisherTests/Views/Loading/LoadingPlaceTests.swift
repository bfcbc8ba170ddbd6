import Foundation
import Kingfisher
import KingfisherTestSupport
import Testing
import TestHelpers

/// A single load, in every loading place.
@Suite @MainActor struct LoadingPlaceTests {
    @Test(
        "Without a source the placeholder is shown and the load completes synchronously without progress",
        .behaviours("V-1"),
        arguments: LoadingPlace.allCases, [false, true])
    func emptySource(place: LoadingPlace, hasPlaceholder: Bool) async throws {
        let rig = try LoadingPlaceRig(place)
        rig.image = try .blank()
        let placeholder = hasPlaceholder ? try Image.blank() : nil
        let progress = Inbox<Void>()
        let load = rig.load(nil as Source?, placeholder: placeholder, progress: { _, _ in progress.put() })
        #expect(load.outcomes.values.map(reason) == ["emptySource"])
        #expect(rig.image === placeholder && load.task == nil && rig.identifier == nil)
        _ = try await load.result()
        #expect(progress.count == 0)
    }

    /// The content of the place while it loads.
    enum Shown: Sendable { case old, placeholder, nothing }

    @Test(
        "While loading the place shows the current image, the placeholder or nothing", .behaviours("V-2"),
        arguments: LoadingPlace.allCases,
        [
            (keeps: false, hasOld: true, hasPlaceholder: true, shown: Shown.placeholder),
            (keeps: false, hasOld: true, hasPlaceholder: false, shown: Shown.nothing),
            (keeps: false, hasOld: false, hasPlaceholder: true, shown: Shown.placeholder),
            (keeps: true, hasOld: true, hasPlaceholder: true, shown: Shown.old),
            (keeps: true, hasOld: true, hasPlaceholder: false, shown: Shown.old),
            (keeps: true, hasOld: false, hasPlaceholder: true, shown: Shown.placeholder),
            (keeps: true, hasOld: false, hasPlaceholder: false, shown: Shown.nothing),
        ])
    func whileLoading(
        place: LoadingPlace, row: (keeps: Bool, hasOld: Bool, hasPlaceholder: Bool, shown: Shown)
    ) async throws {
        let rig = try LoadingPlaceRig(place)
        let old = row.hasOld ? try Image.blank() : nil
        let placeholder = row.hasPlaceholder ? try Image.blank() : nil
        rig.image = old
        rig.bench.stub.hold()
        let load = rig.load(placeholder: placeholder, row.keeps ? [.keepCurrentImageWhileLoading] : [])
        switch row.shown {
        case .old: #expect(rig.image === old)
        case .placeholder: #expect(rig.image === placeholder)
        case .nothing: #expect(rig.image == nil)
        }
        rig.bench.stub.release()
        let image = try await load.result().get().image
        #expect(rig.image === image && image !== old && image !== placeholder)
    }

    @Test("An image in memory is shown synchronously", arguments: LoadingPlace.allCases)
    func memoryHit(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let stored = try await rig.load().result().get().image
        rig.image = nil
        let load = rig.load(placeholder: try Image.blank())
        #expect(load.outcomes.count == 1 && load.task == nil && rig.identifier == nil)
        #expect(rig.image === stored)
    }

    @Test(
        "Completion and progress run on the main queue for every callback queue", .behaviours("V-3"),
        arguments: LoadingPlace.allCases)
    func onMain(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let (progress, done) = (Inbox<Bool>(), Inbox<Bool>())
        _ = rig.start(
            .network(rig.bench.url), nil,
            [
                .downloader(rig.bench.downloader), .targetCache(rig.bench.cache),
                .callbackQueue(.dispatch(MarkedQueue().queue)),
            ], { _, _ in progress.put(MainQueue.isCurrent) }
        ) { _ in done.put(MainQueue.isCurrent) }
        #expect(try await done.first())
        #expect(try await progress.first())
        #expect(!progress.values.contains(false))
    }

    @Test(
        "After a failure the failure image or the placeholder is shown", .behaviours("V-6"),
        arguments: LoadingPlace.allCases, [false, true])
    func afterFailure(place: LoadingPlace, hasPlaceholder: Bool) async throws {
        let rig = LoadingPlaceRig(place, try Bench(serving: TestImages.garbage))
        let (old, failed) = (try Image.blank(), try Image.blank())
        let placeholder = hasPlaceholder ? try Image.blank() : nil
        func shown(_ options: KingfisherOptionsInfo) async throws -> Image? {
            rig.image = old
            #expect(reason(try await rig.load(placeholder: placeholder, options).result()) != nil)
            return rig.image
        }
        #expect(try await shown([]) === placeholder)
        #expect(try await shown([.onFailureImage(failed)]) === failed)
        #expect(try await shown([.onFailureImage(nil)]) == nil)
        #expect(try await shown([.keepCurrentImageWhileLoading]) === old)
        #expect(try await shown([.keepCurrentImageWhileLoading, .onFailureImage(failed)]) === failed)
        #expect(try await shown([.keepCurrentImageWhileLoading, .onFailureImage(nil)]) == nil)
    }

    @Test("A success does not show the failure image", .behaviours("V-6"), arguments: LoadingPlace.allCases)
    func noFailure(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let image = try await rig.load([.onFailureImage(try .blank())]).result().get().image
        #expect(rig.image === image)
    }

    @Test(
        "The identifier exists while loading, increases with each load, and is nil before the completion",
        .behaviours("V-17"),
        arguments: LoadingPlace.allCases)
    func identifier(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        #expect(rig.identifier == nil)
        let first = await rig.hold { rig.load() }
        let earlier = try #require(rig.identifier)
        let atCompletion = Inbox<Source.Identifier.Value?>()
        _ = rig.start(
            .network(Bench.freshURL()), nil,
            [.downloader(rig.bench.downloader), .targetCache(rig.bench.cache)]
        ) { _ in atCompletion.put(rig.identifier) }
        let later = try #require(rig.identifier)
        #expect(later > earlier)
        rig.bench.stub.release()
        #expect(try await atCompletion.first() == nil)
        _ = try await first.result()
        #expect(rig.identifier == nil)
    }

    @Test("A completion may start the next load", arguments: LoadingPlace.allCases)
    func completionStartsAnother(place: LoadingPlace) async throws {
        let rig = try LoadingPlaceRig(place)
        let options: KingfisherOptionsInfo = [
            .downloader(rig.bench.downloader), .targetCache(rig.bench.cache),
        ]
        let (second, done) = (Bench.freshURL(), Inbox<LoadingPlaceRig.Outcome>())
        _ = rig.start(.network(rig.bench.url), nil, options) { _ in
            _ = rig.start(.network(second), nil, options) { done.put($0) }
        }
        let result = try await done.first().get()
        #expect(result.source.url == second && rig.image === result.image)
    }
}
