import KingfisherGTK

@MainActor final class RecoveryPage: GalleryPage {
    let title: String
    let subtitle: String
    let icon: String
    let widget: Widget
    private let name: String
    private let cards: [RecoveryCard]
    private var hasAppeared = false

    private init(
        title: String, subtitle: String, icon: String, name: String, cards: [RecoveryCard]
    ) {
        (self.title, self.subtitle, self.icon) = (title, subtitle, icon)
        (self.name, self.cards) = (name, cards)
        widget = .scroller(Widget.tiles(cards.map(\.tile.widget), columns: 1...2).styled("page"))
    }

    static func retries(server: PhotoServer, placeholder: Image, failure: Image) -> RecoveryPage {
        RecoveryPage(
            title: "Retries", subtitle: "Loads that retry after a failure",
            icon: "view-refresh-symbolic",
            name: "retries",
            cards: RecoverySample.retries.enumerated().map {
                RecoveryCard($1, number: 100 + $0, server: server, placeholder: placeholder, failure: failure)
            })
    }

    static func alternatives(server: PhotoServer, placeholder: Image, failure: Image) -> RecoveryPage {
        RecoveryPage(
            title: "Alternatives", subtitle: "Fallback sources for failed loads",
            icon: "media-playlist-shuffle-symbolic", name: "alternatives",
            cards: RecoverySample.alternatives.enumerated().map {
                RecoveryCard($1, number: 200 + $0, server: server, placeholder: placeholder, failure: failure)
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
            Scene(name: name, includesDark: true) { [self] in
                try await wait(for: "the end of all loads") { cards.allSatisfy(\.hasEnded) }
                for card in cards { try card.check() }
            }
        ]
    }
}
