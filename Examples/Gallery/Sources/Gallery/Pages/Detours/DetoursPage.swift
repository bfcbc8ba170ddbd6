import KingfisherGTK

/// Loads that go wrong at first: those that are tried again, and those that turn to another source.
@MainActor final class DetoursPage: GalleryPage {
    let title: String
    let subtitle: String
    let icon: String
    let widget: Widget
    private let name: String
    private let cards: [DetourCard]
    private var hasAppeared = false

    private init(
        title: String, subtitle: String, icon: String, name: String, cards: [DetourCard]
    ) {
        (self.title, self.subtitle, self.icon) = (title, subtitle, icon)
        (self.name, self.cards) = (name, cards)
        widget = .scroller(Widget.tiles(cards.map(\.tile.widget), columns: 1...2).styled("page"))
    }

    static func retries(server: PhotoServer, placeholder: Image, failure: Image) -> DetoursPage {
        DetoursPage(
            title: "Retries", subtitle: "Servers that fail, and loads that try again",
            icon: "view-refresh-symbolic",
            name: "retries",
            cards: DetourSample.retries.enumerated().map {
                DetourCard($1, number: 100 + $0, server: server, placeholder: placeholder, failure: failure)
            })
    }

    static func alternatives(server: PhotoServer, placeholder: Image, failure: Image) -> DetoursPage {
        DetoursPage(
            title: "Alternatives", subtitle: "Sources that stand in for one that fails",
            icon: "media-playlist-shuffle-symbolic", name: "alternatives",
            cards: DetourSample.alternatives.enumerated().map {
                DetourCard($1, number: 200 + $0, server: server, placeholder: placeholder, failure: failure)
            })
    }

    var action: PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") { [weak self] in self?.load() }
    }

    func appear() {
        if !hasAppeared { load() }
        hasAppeared = true
    }

    private func load() {
        for card in cards { card.load() }
    }

    var scenes: [Scene] {
        [
            Scene(name: name, isWantedDark: true) { [self] in
                try await wait(for: "ends of all loads") { cards.allSatisfy(\.hasEnded) }
                for card in cards { try card.check() }
            }
        ]
    }
}
