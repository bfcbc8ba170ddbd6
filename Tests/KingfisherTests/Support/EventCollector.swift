import Foundation
import TestHelpers

@testable import Kingfisher

/// Collects the events of a URL, of one name or of all, until it is released.
final class EventCollector: Sendable {
    let events = Inbox<KingfisherEvent>()
    private let observer: Observer

    init(_ name: String? = nil, of url: URL) {
        observer = Observer(name, url.eventText, events)
        KingfisherEvents.add(observer)
    }

    deinit { KingfisherEvents.remove(observer) }

    private final class Observer: KingfisherEventObserver {
        private let name: String?
        private let text: String
        private let events: Inbox<KingfisherEvent>

        init(_ name: String?, _ text: String, _ events: Inbox<KingfisherEvent>) {
            (self.name, self.text, self.events) = (name, text, events)
        }

        func kingfisher(didReport event: KingfisherEvent) {
            guard name == nil || event.name == name, event.subject.contains(text) else { return }
            events.put(event)
        }
    }
}

extension EventCollector {
    /// How tiers were hit: "hit", "renewing" or "stale".
    var tierHits: [String] {
        events.values.compactMap { event -> String? in
            switch event {
            case .tierHit: "hit"
            case .tierStale(_, _, _, let renews, _): renews ? "renewing" : "stale"
            default: nil
            }
        }
    }

    /// The reasons of misses of tiers.
    var tierMisses: [String] {
        events.values.compactMap { if case .tierMissed(_, _, let reason, _) = $0 { reason } else { nil } }
    }

    /// The reasons of failed writes to tiers.
    var failedTierWrites: [String] {
        events.values.compactMap { if case .tierWriteFailed(_, _, let reason) = $0 { reason } else { nil } }
    }
}
