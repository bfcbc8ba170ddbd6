/// One page of the gallery: what the sidebar says of it, what it shows, and which moments are
/// worth an image.
@MainActor protocol GalleryPage: AnyObject {
    var title: String { get }
    /// What there is to see, in a few words.
    var subtitle: String { get }
    /// The name of a symbolic icon.
    var icon: String { get }
    /// Made once; the window keeps it.
    var widget: Widget { get }
    /// What the button in the header does while this page is shown.
    var action: PageAction { get }
    /// Called each time the page comes on screen.
    func appear()
    /// The moments of which screenshots are taken, in order.
    var scenes: [Scene] { get }
}

/// A button of the header.
struct PageAction {
    let title: String
    let icon: String
    let run: @MainActor () -> Void
}

/// A moment of a page.
struct Scene {
    /// The name of its screenshot.
    let name: String
    /// Whether there is to be one in the dark, too.
    var isWantedDark = false
    /// Brings the page there, and returns when it is. Throws when that cannot be.
    let prepareForScreenshot: @MainActor () async throws -> Void
}
