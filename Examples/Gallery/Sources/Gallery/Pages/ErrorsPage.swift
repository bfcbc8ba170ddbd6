import KingfisherGTK

@MainActor final class ErrorsPage: GalleryPage {
    let title = "Errors"
    let subtitle = "What views show when a load fails"
    let icon = "dialog-warning-symbolic"
    let widget: Widget
    private let attempts: [Attempt]
    private var hasAppeared = false

    init(server: PhotoServer, placeholder: Image, failure: Image) {
        attempts = ErrorSample.all.enumerated().map { index, sample in
            Attempt(sample, number: index, server: server, placeholder: placeholder, failure: failure)
        }
        widget = .scroller(Widget.tiles(attempts.map(\.tile.widget)).styled("page"))
    }

    var action: PageAction {
        PageAction(title: "Retry All", icon: "view-refresh-symbolic") { [weak self] in
            self?.attempts.forEach { $0.load() }
        }
    }

    func appear() {
        guard !hasAppeared else { return }
        hasAppeared = true
        attempts.forEach { $0.load() }
    }

    var scenes: [Scene] {
        [
            Scene(name: "errors", includesDark: true) { [self] in
                try await wait(for: "errors") { attempts.allSatisfy(\.hasEnded) }
            }
        ]
    }
}

@MainActor private final class Attempt {
    let tile: Tile
    private let view = ImageView()
    private(set) var hasEnded = false
    private let sample: ErrorSample
    private let url: URL
    private let options: KingfisherOptionsInfo
    private let placeholder: Image?
    private let message = Widget.paragraph("", "caption")

    init(_ sample: ErrorSample, number: Int, server: PhotoServer, placeholder: Image, failure: Image) {
        self.sample = sample
        url = server.url(of: sample.fault, copy: number)
        self.placeholder = sample.fallback == .placeholder ? placeholder : nil
        var options: KingfisherOptionsInfo = [.transition(.fade(0.4))]
        switch sample.fallback {
        case .placeholder: break
        case .failureImage: options.append(.onFailureImage(failure))
        case .alternative: options.append(.alternativeSources([.network(server.directURL(of: .rocket))]))
        }
        if let timeout = sample.timeout {
            options.append(
                .requestModifier(
                    AnyModifier { request in
                        var request = request
                        request.timeoutInterval = timeout
                        return request
                    }))
        }
        self.options = options
        tile = Tile(image: view, title: sample.title, detail: sample.detail, height: 120)
        view.kf.indicatorType = .activity
        gtk_label_set_lines(message.opaque, 5)
        gtk_label_set_ellipsize(message.opaque, PANGO_ELLIPSIZE_END)
        tile.add(message)
        _ = tile.addButton(icon: "view-refresh-symbolic", tooltip: "Try Again") { [weak self] in self?.load()
        }
    }

    func load() {
        hasEnded = false
        showMessage("", class: nil)
        view.kf.setImage(with: url, placeholder: placeholder, options: options) { [weak self] in
            guard let self else { return }
            hasEnded = true
            switch $0 {
            case .success(let result):
                showMessage("Loaded from \(result.source.url?.path ?? "another source").", class: "success")
            case .failure(let error):
                showMessage("\(error.errorCode): \(error.localizedDescription)", class: "error")
            }
        }
    }

    private func showMessage(_ text: String, class name: String?) {
        for name in ["error", "success"] { gtk_widget_remove_css_class(message, name) }
        if let name { message.styled(name) }
        message.setText(text)
        message.explained(text)
    }
}
