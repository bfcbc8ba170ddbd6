import KingfisherGTK
import KingfisherTestSupport

/// A label needs no more than this to be a placeholder.
private final class PlaceholderLabel: Label, Placeholder {}

/// Everything else that takes an image, or stands in for one.
@MainActor final class ViewsPage: GalleryPage {
    let title = "Views"
    let subtitle = "Buttons, text, placeholders and indicators"
    let icon = "view-dual-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let exhibits: [any ViewExhibit]
    /// Those that are worth a look before their image has come.
    private let waiting: [WaitingExhibit]
    private var round = 0

    init(server: PhotoServer) {
        self.server = server
        let gif = (try? Fixtures.data(named: "Photos/cat.gif")) ?? Data()
        waiting = [
            WaitingExhibit(
                title: "Label", code: "placeholder: Label(…)", photos: .brick,
                placeholder: PlaceholderLabel("On its way …")),
            WaitingExhibit(title: "Spinner", code: ".activity", photos: .rocket, indicator: .activity),
            WaitingExhibit(
                title: "GIF", code: ".image(imageData: …)", photos: .grass, indicator: .image(imageData: gif)),
            WaitingExhibit(
                title: "One’s own", code: ".custom(indicator: …)", photos: .astronaut,
                indicator: .custom(indicator: PulseIndicator())),
            WaitingExhibit(
                title: "Kept image", code: ".keepCurrentImage\u{200B}WhileLoading", photos: .retina,
                .camera,
                indicator: .activity,
                options: [.keepCurrentImageWhileLoading]),
        ]
        exhibits = [ButtonExhibit(), TextExhibit(), ExistingExhibit()] + waiting
        let tiles = exhibits.map { $0.tile.widget }
        widget = .scroller(Widget.tiles(tiles).styled("page"))
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in self?.loadAll() }
    }

    func appear() {
        if round == 0 { loadAll() }
    }

    private func loadAll() {
        for exhibit in exhibits { load(exhibit) }
    }

    /// Loads from an address that has not been used before.
    private func load(_ exhibit: any ViewExhibit) {
        round += 1
        exhibit.load { [server, round] in server.url(of: $0, copy: "views-\(round)") }
    }

    /// Some wait for their image, the others have it.
    var scenes: [Scene] {
        [
            Scene(name: "views") { [self] in
                try await wait(for: "images") { exhibits.allSatisfy { $0.hasLoaded } }
                server.hold(share: 1)
                for exhibit in waiting { load(exhibit) }
                try await wait(for: "loads under way") { server.heldCount == waiting.count }
            },
            Scene(name: "views-loaded") { [self] in
                server.release()
                try await wait(for: "images") { exhibits.allSatisfy { $0.hasLoaded } }
            },
        ]
    }
}
