import Foundation
import KingfisherGTK
import PhotoBrowser

/// Opens a photo of a folder and returns to the grid, with the keyboard only.
@MainActor enum Visit {
    /// Whether each step shows what it must.
    static func succeeds(in app: Application, folder: URL) async -> Bool {
        let browser = PhotoBrowser()
        let window = app.showWindow(
            title: "Visit", size: CGSize(width: 1000, height: 700), content: browser)
        defer { if let window { gtk_window_destroy(window) } }
        await browser.browse(folder)
        let number = 7
        let cell = { browser.grid.cells.cells.first { $0.position == number }?.cell }
        guard browser.grid.photos.map(\.lastPathComponent).starts(with: ["0.jpg", "1.jpg", "2.jpg"]),
            await Fling.wait(until: { cell()?.image != nil }), cell()?.alternativeText == "7.jpg"
        else { return false }
        let thumbnail = cell()?.image
        let grid = gtk_scrolled_window_get_child(OpaquePointer(browser.grid.content))
        gtk_widget_activate_action_variant(
            grid, "list.activate-item", g_variant_new_uint32(UInt32(number)))
        // The thumbnail is shown until the photo is decoded.
        guard browser.photo.kf.placeholder as? Image === thumbnail, page(of: browser) == "photo",
            await Fling.wait(until: { browser.photo.image != nil }),
            browser.photo.image.flatMap(Photos.number) == number, browser.photo.alternativeText == "7.jpg",
            let focused = gtk_window_get_focus(window)
        else { return false }
        gtk_widget_activate(focused)
        return await Fling.wait { page(of: browser) == "grid" }
    }

    private static func page(of browser: PhotoBrowser) -> String? {
        gtk_stack_get_visible_child_name(OpaquePointer(browser.content)).map { String(cString: $0) }
    }
}
