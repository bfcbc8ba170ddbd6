/// Limits the loads of views in scrolled areas, so that visible views come first and then the nearest ones.
///
/// Loads of visible views start immediately. Loads of other views wait until fewer than `limit` loads run in
/// scrolled areas or off screen. They are not dropped: each starts once the loads before it have ended.
@MainActor final class OffscreenLoads {
    static let shared = OffscreenLoads()

    private struct Waiting {
        weak var view: ImageView?
    }

    private let limit: Int
    private var running: Set<Source.Identifier.Value> = []
    private var waiting: [ObjectIdentifier: Waiting] = [:]
    private var sweepsAt = 64
    private weak var next: ImageView?
    private var startsSoon = false

    init(limit: Int = 8) {
        self.limit = limit
    }

    /// Returns whether the load of a view out of sight may start now: there is room, and no other one waits.
    func admits(_ view: ImageView) -> Bool {
        guard running.count < limit, !startsSoon else { return false }
        if next === view { return true }
        guard waiting.contains(where: { $0.value.view.map { $0 !== view && $0.waitsForLoad } ?? false })
        else { return true }
        startNextSoon()
        return false
    }

    func add(_ view: ImageView) {
        if waiting.count >= sweepsAt {
            removeEnded()
            sweepsAt = max(64, 2 * waiting.count)
        }
        waiting[ObjectIdentifier(view)] = Waiting(view: view)
    }

    /// Counts the load if its view is in a scrolled area or not on screen.
    func didStart(_ load: ViewLoad, in view: ImageView) {
        guard let renderer = view.renderer, renderer.scrollPlace != nil || !renderer.display.isVisible
        else { return }
        running.insert(load.identifier)
    }

    private func removeEnded() {
        waiting = waiting.filter { $0.value.view?.waitsForLoad == true }
    }

    func didEnd(_ identifier: Source.Identifier.Value) {
        guard running.remove(identifier) != nil, !waiting.isEmpty else { return }
        startNextSoon()
    }

    /// Starts waiting loads once the main thread is free: a completion may be about to start other loads.
    private func startNextSoon() {
        guard !startsSoon else { return }
        startsSoon = true
        Task {
            startsSoon = false
            startNearest()
        }
    }

    private func startNearest() {
        removeEnded()
        let nearest = waiting.values.compactMap(\.view).map {
            (view: $0, distance: $0.loadPlacement.distance)
        }
        .sorted { $0.distance < $1.distance }
        for (view, _) in nearest where running.count < limit {
            // A view that waits for another reason is started by a change of its display.
            next = view
            view.startWaitingLoad()
        }
        next = nil
    }
}

extension ImageView {
    var offscreenLoads: OffscreenLoads { loading.offscreenLoads ?? .shared }

    fileprivate var waitsForLoad: Bool { loading.wait != nil }
}
