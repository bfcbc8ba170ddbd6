/// Limits the loads of views in scrolled areas, so that visible views come first and then the nearest ones.
///
/// Loads of visible views start immediately. Those of other views wait until fewer than `limit` loads run in
/// scrolled areas. They are not dropped: each starts once the loads before it have ended.
@MainActor final class OffscreenLoads {
    static let shared = OffscreenLoads()

    private struct Waiting {
        weak var view: ImageView?
    }

    private let limit: Int
    private var running: Set<Source.Identifier.Value> = []
    private var waiting: [Waiting] = []
    private var isStarting = false

    init(limit: Int = 8) {
        self.limit = limit
    }

    var hasRoom: Bool { running.count < limit }

    func add(_ view: ImageView) {
        waiting.append(Waiting(view: view))
    }

    func didStart(_ load: ViewLoad, in view: ImageView) {
        guard view.renderer?.scrollPlace != nil else { return }
        running.insert(load.identifier)
    }

    func didEnd(_ identifier: Source.Identifier.Value) {
        guard running.remove(identifier) != nil, !waiting.isEmpty, !isStarting else { return }
        isStarting = true
        // Once the main thread is free: the load's completion may be about to start other loads.
        Task {
            isStarting = false
            startNext()
        }
    }

    private func startNext() {
        let views = waiting.compactMap(\.view).filter { $0.loading.wait != nil }
        // A view that waits for another reason is started by a change of its display.
        var nearest = views.map { (view: $0, distance: $0.loadPlacement.distance) }
        nearest.sort { $0.distance < $1.distance }
        for (view, _) in nearest where hasRoom { view.startWaitingLoad() }
        waiting = nearest.filter { $0.view.loading.wait != nil }.map { Waiting(view: $0.view) }
    }
}
