import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

/// What the user stories stand on: a window with a green ground and an image view in it, a server of
/// photographs, and a cache of their own.
@MainActor final class StoryStage {
    /// Where the view lies in the window.
    static let frame = CGRect(x: 20, y: 20, width: 240, height: 140)
    /// The colour of the window, which is behind the view.
    static let ground = "ff00ff00"

    let view: ImageView
    /// The view's time.
    let clock = ManualAnimationClock()
    let cache: ImageCache
    let downloader = ImageDownloader(name: "story")
    private let window = TestWindow(width: 280, height: 180)
    private let server: LoopbackServer
    private let gate = ServerGate()
    private let folder: URL

    /// `view` in the window; the server has the photographs, and `files` by their names.
    init(_ view: ImageView = ImageView(), serving files: [String: Data] = [:]) throws {
        self.view = view
        folder = TestFolders.unused()
        cache = try ImageCache(name: "story", cacheDirectoryURL: folder)
        server = try LoopbackServer { [gate] request in
            let name = request.target.split(separator: "/").last.map(String.init) ?? ""
            guard let data = files[name] ?? (try? Fixtures.data(named: "Photos/\(name)")) else {
                return .status(404)
            }
            let answer = ServerResponse.ok(data)
            return request.target.hasPrefix("/slow/") ? answer.held(by: gate) : answer
        }
        view.clock = clock
    }

    isolated deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// What keeps the story's loads to itself.
    var options: KingfisherOptionsInfo { [.targetCache(cache), .downloader(downloader)] }

    func url(_ name: String) -> URL { server.url("/\(name)") }

    /// An image that the server sends only after `letSlowImagesCome()`.
    func slowURL(_ name: String) -> URL { server.url("/slow/\(name)") }

    func letSlowImagesCome() { gate.release() }

    /// How often images were asked of the server.
    var requestCount: Int { server.requestCount() }

    /// The bytes of the files on disk.
    var filesOnDisk: [Data] {
        let folder = cache.diskStorage.directoryURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
    }

    // MARK: The window

    /// Puts the view into the window, and the window on screen.
    func open() async throws {
        Self.installStyle
        if let widget = window.widget { gtk_widget_add_css_class(widget, "kingfisher-story") }
        let margin = Int32(Self.frame.minX)
        gtk_widget_set_margin_start(view.widget, margin)
        gtk_widget_set_margin_end(view.widget, margin)
        gtk_widget_set_margin_top(view.widget, margin)
        gtk_widget_set_margin_bottom(view.widget, margin)
        try #require(await window.present(view))
        try #require(await GTK.wait { self.view.bounds.size == Self.frame.size })
        try #require(await GTK.wait { Screenshot(of: self.window)?[0, 0] == Self.ground })
    }

    /// What the whole window looks like now.
    func image() async throws -> Screenshot {
        // The clock was perhaps moved on since the last frame.
        view.setNeedsDisplay()
        return try await Screenshot.take(of: window)
    }

    /// Whether the window changes by itself until it has looked in `count` ways.
    func changes(until count: Int) async -> Bool {
        var seen: [Screenshot] = []
        return await GTK.wait {
            if let shot = Screenshot(of: self.window), !seen.contains(shot) {
                seen.append(shot)
                shot.saveForTheEye()
            }
            return seen.count >= count
        }
    }

    /// Makes the ground green, whether the window has the focus or not.
    private static let installStyle: Void = {
        let provider = gtk_css_provider_new()!
        gtk_css_provider_load_from_data(
            provider, "window.kingfisher-story { background: #00ff00; transition: none; }", -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider),
            guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }()
}

/// What a load came to.
@MainActor final class StoryAnswer {
    private(set) var results: [Result<RetrieveImageResult, KingfisherError>] = []

    func take(_ result: Result<RetrieveImageResult, KingfisherError>) { results.append(result) }

    /// Waits for it.
    func result() async throws -> RetrieveImageResult {
        try #require(await GTK.wait { !self.results.isEmpty })
        #expect(results.count == 1)
        return try results[0].get()
    }
}

extension Screenshot {
    /// Points that lie evenly all over the view of a story.
    static let storyPoints = stride(from: 30, to: 260, by: 20).flatMap { x in
        stride(from: 30, to: 160, by: 20).map { y in (x, y) }
    }

    /// Whether the view of a story is `share` of the way from what it was in `old` to what it is in `new`,
    /// and those two differ everywhere; a colour may be `tolerance` steps off.
    func isOnTheWay(
        _ share: Double, from old: Screenshot, to new: Screenshot, tolerance: Double = 2
    ) -> Bool {
        Self.storyPoints.allSatisfy { x, y in
            let (from, to) = (old.color(x, y), new.color(x, y))
            let mixed = zip(from, to).map { Double($0) + share * Double($1 - $0) }
            return from != to && zip(color(x, y), mixed).allSatisfy { abs(Double($0) - $1) <= tolerance }
        }
    }
}
