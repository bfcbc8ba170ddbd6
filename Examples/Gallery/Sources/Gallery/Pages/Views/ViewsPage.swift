import KingfisherGTK
import KingfisherTestSupport

/// A `Label` needs no members to be a placeholder.
private final class PlaceholderLabel: Label, Placeholder {}

@MainActor final class ViewsPage: GalleryPage {
    let title = "Views"
    let subtitle = "Buttons, text, placeholders and indicators"
    let icon = "view-dual-symbolic"
    let widget: Widget
    private let server: PhotoServer
    private let exhibits: [any ViewExhibit]
    /// The exhibits with a special appearance while they load.
    private let waiting: [WaitingExhibit]
    private var round = 0

    init(server: PhotoServer) {
        self.server = server
        let gif = (try? Fixtures.data(named: "Photos/cat.gif")) ?? Data()
        waiting = [
            WaitingExhibit(
                title: "Label", code: "placeholder: Label(…)", photos: .brick,
                placeholder: PlaceholderLabel("Loading…")),
            WaitingExhibit(
                title: "Variants", code: "light.withVariants(dark: …)", photos: .coffee,
                placeholder: try? Drawings.adaptivePlaceholder()),
            WaitingExhibit(title: "Spinner", code: ".activity", photos: .rocket, indicator: .activity),
            WaitingExhibit(
                title: "GIF", code: ".image(imageData: …)", photos: .grass, indicator: .image(imageData: gif)),
            WaitingExhibit(
                title: "Custom", code: ".custom(indicator: …)", photos: .astronaut,
                indicator: .custom(indicator: PulseIndicator())),
            WaitingExhibit(
                title: "Previous Image", code: ".keepCurrentImage\u{200B}WhileLoading", photos: .retina,
                .camera,
                indicator: .activity,
                options: [.keepCurrentImageWhileLoading]),
        ]
        exhibits = [ButtonExhibit(), TextExhibit(), ExistingExhibit(), AvatarExhibit()] + waiting
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

    private func load(_ exhibit: any ViewExhibit) {
        round += 1
        exhibit.load { [server, round] in server.url(of: $0, copy: "views-\(round)") }
    }

    var scenes: [Scene] {
        [
            Scene(name: "views") { [self] in
                try await wait(for: "images") { exhibits.allSatisfy { $0.hasLoaded } }
                server.hold(share: 1)
                for exhibit in waiting { load(exhibit) }
                try await wait(for: "the pending loads") { server.heldCount == waiting.count }
            },
            Scene(name: "views-loaded") { [self] in
                server.release()
                try await wait(for: "images") { exhibits.allSatisfy { $0.hasLoaded } }
            },
        ]
    }
}
