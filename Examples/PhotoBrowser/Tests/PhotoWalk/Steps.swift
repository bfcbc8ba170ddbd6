import Foundation
import KingfisherGTK
import PhotoBrowser

/// A part of the walk.
@MainActor protocol Steps {
    var window: BrowserWindow { get }
    var album: Album { get }
}

extension Steps {
    var grid: PhotoGrid { window.browser.grid }
    var viewer: PhotoViewer { window.browser.viewer }
    var problem: String { window.browser.problem ?? "" }

    /// The distance of the grid from its start, in points.
    var scrolled: Double {
        gtk_adjustment_get_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(grid.content)))
    }

    /// The name of the photo in the viewer.
    var shown: String { viewer.zoom.alternativeText ?? "" }

    func position(of name: String) -> Int { grid.photos.firstIndex { $0.lastPathComponent == name } ?? -1 }

    /// The cell of a photo, if it has its thumbnail.
    func cell(_ name: String) -> ImageView? {
        grid.cells.cells.first { $0.position == position(of: name) }?.cell
    }

    /// Opens a photo in the grid, and waits until it is shown.
    func open(_ name: String) async throws {
        let list = gtk_scrolled_window_get_child(OpaquePointer(grid.content))
        gtk_widget_activate_action_variant(
            list, "list.activate-item", g_variant_new_uint32(UInt32(position(of: name))))
        try await expectPhoto(name)
    }

    func expectPhoto(_ name: String) async throws {
        try await window.expect("\(name) is shown") {
            window.shows(viewer) && shown == name && viewer.zoom.image != nil
                && !viewer.zoom.accessibility.isBusy
        }
    }

    func backToGrid() async throws {
        try window.press("Escape")
        try await window.expect("the grid is shown") { window.shows(grid) && !window.shows(viewer) }
    }
}

/// The grid shows thumbnails, and a folder that cannot be read is an error.
@MainActor struct GridSteps: Steps {
    let window: BrowserWindow
    let album: Album

    init(_ window: BrowserWindow, _ album: Album) { (self.window, self.album) = (window, album) }

    func run() async throws {
        let missing = album.folder.appending(path: "missing")
        await window.browser.browse(missing)
        guard grid.photos.isEmpty, problem.contains("“missing” cannot be opened.") else {
            throw Failure("a missing folder is not reported: \(problem)")
        }
        try await window.photograph("photos-missing-folder")
        let empty = FileManager.default.temporaryDirectory.appending(path: "empty-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: empty) }
        await window.browser.browse(empty)
        guard problem.contains("There are no photos") else {
            throw Failure("an empty folder is not reported")
        }
        await window.browser.browse(album.folder)
        guard problem.isEmpty, grid.photos.map(\.lastPathComponent) == album.files else {
            throw Failure("the grid does not show the folder: \(problem)")
        }
        try await window.expect("the focus is in the grid, and the first thumbnails are shown") {
            window.focus.map { gtk_widget_is_ancestor($0, grid.widget) } == 1
                && cell("100-astronaut.jpg")?.image != nil && cell("103-hubble.jpg")?.image != nil
        }
        guard window.height(of: grid) > 0.8 else { throw Failure("the grid does not fill the window") }
        try await window.photograph("photos-grid")
    }
}

/// Files that cannot be shown or turned are errors in the window.
@MainActor struct ErrorSteps: Steps {
    let window: BrowserWindow
    let album: Album

    init(_ window: BrowserWindow, _ album: Album) { (self.window, self.album) = (window, album) }

    func run() async throws {
        try await open("132-animation.gif")
        try window.click("Turn clockwise")
        try await window.expect("a GIF cannot be turned") {
            problem.contains("“132-animation.gif” cannot be turned.")
        }
        try window.press("Page_Down")
        try await window.expect("a corrupt file is reported") {
            problem.contains("“133-corrupt.jpg” cannot be shown.")
        }
        try await window.photograph("photos-corrupt")
        try window.press("Page_Down")
        try await expectPhoto("134-protected.jpg")
        guard problem.isEmpty else { throw Failure("the message of another photo stays") }
        let file = album.url("134-protected.jpg")
        // Root may write every file, unless `check` has taken this right.
        if access(file.path, W_OK) != 0 {
            let bytes = try Data(contentsOf: file)
            try window.click("Turn clockwise")
            try await window.expect("a protected file cannot be turned") {
                problem.contains("“134-protected.jpg” cannot be turned. Permission denied")
            }
            guard try Data(contentsOf: file) == bytes else { throw Failure("a protected file was changed") }
            try window.click("Hide message")
            try await window.expect("the message is hidden") { problem.isEmpty }
        } else {
            print("photo walk: this user may write every file; protected files are not checked")
        }
        try await backToGrid()
    }
}
