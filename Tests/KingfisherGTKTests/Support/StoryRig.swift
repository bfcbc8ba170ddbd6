import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

/// The fixture of the user stories: a window with a green background and an image view, a server of
/// photographs and a separate cache.
@MainActor final class StoryRig {
    /// The frame of the view in the window.
    static let frame = CGRect(x: 20, y: 20, width: 240, height: 140)
    /// The colour of the window behind the view.
    static let background = "ff00ff00"

    let view: ImageView
    let clock = ManualAnimationClock()
    let cache: ImageCache
    let downloader = ImageDownloader(name: "story")
    let window = TestWindow(width: 280, height: 180)
    private let server: LoopbackServer
    private let gate = ServerGate()
    private let folder: URL

    /// The server has the photographs of the fixtures and `files`, by name.
    init(_ view: ImageView = ImageView(), serving files: [String: Data] = [:]) throws {
        self.view = view
        folder = TestFolders.unused()
        cache = try ImageCache(name: "story", cacheDirectoryURL: folder)
        server = try LoopbackServer { [gate] request in
            let name = request.target.split(separator: "/").last.map(String.init) ?? ""
            guard let data = files[name] ?? (try? Fixtures.data(named: "Photos/\(name)")) else {
                return .status(404)
            }
            let response = ServerResponse.ok(data)
            return request.target.hasPrefix("/slow/") ? response.held(by: gate) : response
        }
        view.clock = clock
    }

    isolated deinit {
        server.stop()
        try? FileManager.default.removeItem(at: folder)
    }

    /// The rig's cache and downloader.
    var options: KingfisherOptionsInfo { [.targetCache(cache), .downloader(downloader)] }

    func url(_ name: String) -> URL { server.url("/\(name)") }

    /// The URL of an image that the server sends only after `releaseSlowImages()`.
    func slowURL(_ name: String) -> URL { server.url("/slow/\(name)") }

    func releaseSlowImages() { gate.release() }

    var requestCount: Int { server.requestCount() }

    /// The contents of the files in the disk cache.
    var filesOnDisk: [Data] {
        let folder = cache.diskStorage.directoryURL
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.compactMap { try? Data(contentsOf: folder.appending(path: $0)) }
    }

    // MARK: Window

    /// Shows the window with the view.
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
        try #require(await GTK.wait { Screenshot(of: self.window)?[0, 0] == Self.background })
    }

    /// The current pixels of the whole window.
    func image() async throws -> Screenshot {
        // The clock may have advanced since the last frame.
        view.setNeedsDisplay()
        return try await Screenshot.take(of: window)
    }

    /// Whether the window shows at least `count` different images without further input.
    func changes(until count: Int) async -> Bool {
        var seen: [Screenshot] = []
        return await GTK.wait {
            if let shot = Screenshot(of: self.window), !seen.contains(shot) {
                seen.append(shot)
                shot.saveIfRequested()
            }
            return seen.count >= count
        }
    }

    /// Makes the background green, with and without focus.
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

/// Records the results of one load, which must be exactly one.
@MainActor final class StoryLoad {
    private(set) var results: [Result<RetrieveImageResult, KingfisherError>] = []

    func record(_ result: Result<RetrieveImageResult, KingfisherError>) { results.append(result) }

    func result() async throws -> RetrieveImageResult {
        try #require(await GTK.wait { !self.results.isEmpty })
        #expect(results.count == 1)
        return try results[0].get()
    }
}

extension Screenshot {
    /// Evenly distributed points in the view of a story.
    static let storyPoints = stride(from: 30, to: 260, by: 20).flatMap { x in
        stride(from: 30, to: 160, by: 20).map { y in (x, y) }
    }

    /// Whether each of `storyPoints` is a mix of `old` and `new`, with weight `share` for `new`, and both
    /// differ at each point. A channel may differ from the mix by `tolerance` levels of 255.
    func isBlend(
        _ share: Double, from old: Screenshot, to new: Screenshot, tolerance: Double = 2
    ) -> Bool {
        Self.storyPoints.allSatisfy { x, y in
            let (from, to) = (old.color(x, y), new.color(x, y))
            let mixed = zip(from, to).map { Double($0) + share * Double($1 - $0) }
            return from != to && zip(color(x, y), mixed).allSatisfy { abs(Double($0) - $1) <= tolerance }
        }
    }
}
