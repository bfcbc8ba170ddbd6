import Foundation
import KingfisherTestSupport
import TestHelpers
import Testing

@testable import Kingfisher

/// Values that load from one bench and report to one inbox, and a stub toolkit that shows their views.
@MainActor struct KFImageRig {
    typealias Outcome = ImageViewLoadingRig.Outcome

    let bench: Bench
    let outcomes = Inbox<Outcome>()
    let renderer = RecordingRenderer()

    init(_ bench: Bench) {
        self.bench = bench
    }

    init() throws {
        self.init(try Bench())
    }

    /// A value that loads `url`, by default that of the bench.
    func image(_ url: URL? = nil) -> KFImage {
        connected(KFImage(url ?? bench.url))
    }

    /// `value` with the rig's cache, downloader and handlers.
    func connected<Value: KFImageProtocol>(_ value: Value) -> Value {
        value.targetCache(bench.cache).downloader(bench.downloader)
            .onSuccess { [outcomes] in outcomes.put(.success($0)) }
            .onFailure { [outcomes] in outcomes.put(.failure($0)) }
    }

    /// Makes the view of `value` and puts it on screen.
    func show<Value: KFImageProtocol>(_ value: Value) -> Value.HoldingView {
        let view = value.makeView()
        view.renderer = renderer
        view.displayDidChange()
        return view
    }

    /// Changes the display of `view` as a toolkit does.
    func display(_ view: ImageView, isVisible: Bool, width: CGFloat = 100) {
        renderer.display = ViewDisplay(
            size: CGSize(width: width, height: 100), scaleFactor: 1, isVisible: isVisible)
        view.renderer = renderer
        view.displayDidChange()
    }

    /// The only outcome. Returns after a second one, if there were one, would have been delivered.
    func outcome() async throws -> Outcome { try await outcomes.only() }

    /// Waits until the view has started a load.
    func starts(_ view: ImageView) async -> Bool {
        await poll { view.loading.running != nil }
    }
}

extension View {
    /// The views below this one that are of type `Kind`.
    func descendants<Kind: View>(_ kind: Kind.Type = Kind.self) -> [Kind] {
        subviews.flatMap { view in (view as? Kind).map { [$0] } ?? [] }
            + subviews.flatMap { $0.descendants() }
    }
}
