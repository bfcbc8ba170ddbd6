@testable import Kingfisher
import Testing

/// M-20, the state machine that decides when a fetched picture is reported.
@Suite struct CacheCallbackCoordinatorTests {
    typealias Event = CacheCallbackCoordinator.Event

    /// The positions of the events at which it reports.
    private func reports(waits: Bool, original: Bool, _ events: [Event]) -> [Int] {
        var coordinator = CacheCallbackCoordinator(waitsForCache: waits, cachesOriginal: original)
        return events.indices.filter { coordinator.apply(events[$0]) }
    }

    @Test("Not waiting: at once; later events are ignored", arguments: [false, true])
    func notWaiting(original: Bool) {
        let events: [Event] = [.cacheInitiated, .imageCached, .originalCached, .cacheInitiated]
        #expect(reports(waits: false, original: original, events) == [0])
    }

    @Test("Waiting without an original: when the picture is cached")
    func waiting() {
        #expect(reports(waits: true, original: false, [.cacheInitiated, .imageCached, .imageCached]) == [1])
        #expect(reports(waits: true, original: false, [.imageCached, .cacheInitiated]) == [0])
    }

    @Test("Waiting with an original: both, in either order")
    func waitingForBoth() {
        let events: [Event] = [.cacheInitiated, .imageCached, .originalCached]
        #expect(reports(waits: true, original: true, events) == [2])
        #expect(
            reports(waits: true, original: true, [.cacheInitiated, .originalCached, .imageCached]) == [2])
        #expect(reports(waits: true, original: true, [.imageCached, .imageCached, .cacheInitiated]) == [])
    }
}
