import KingfisherGTK

/// A page of the gallery: its entry in the sidebar, its content, and its screenshots.
@MainActor protocol GalleryPage: AnyObject {
    var title: String { get }
    var subtitle: String { get }
    var icon: String { get }
    /// Created once; the window retains it.
    var widget: Widget { get }
    var action: PageAction { get }
    /// Called each time the page is shown.
    func appear()
    var scenes: [Scene] { get }
}

struct PageAction {
    let title: String
    let icon: String
    let run: @MainActor () -> Void

    /// Empties the cache, then loads the images of a page.
    static func loadAgain(_ load: @escaping @MainActor () -> Void) -> PageAction {
        PageAction(title: "Load Again", icon: "view-refresh-symbolic") {
            KingfisherManager.shared.cache.clearCache()
            load()
        }
    }
}

struct Scene {
    let name: String
    /// Whether to take another screenshot in the dark style.
    var includesDark = false
    let prepareForScreenshot: @MainActor () async throws -> Void
}
