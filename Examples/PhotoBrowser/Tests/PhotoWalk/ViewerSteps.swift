import Foundation
import KingfisherGTK
import PhotoBrowser

/// The viewer zooms, goes to the neighbours, shows details, and turns a photo.
@MainActor struct ViewerSteps: Steps {
    let window: BrowserWindow
    let album: Album

    init(_ window: BrowserWindow, _ album: Album) { (self.window, self.album) = (window, album) }

    func run() async throws {
        let list = gtk_scrolled_window_get_child(OpaquePointer(grid.content))
        gtk_widget_activate_action_variant(
            list, "list.scroll-to-item", g_variant_new_uint32(UInt32(position(of: "130-large.jpg"))))
        try await window.expect("the thumbnails are shown, after scrolling") {
            scrolled > 0 && cell("130-large.jpg")?.image != nil && cell("131-camera.jpg")?.image != nil
        }
        let thumbnail = cell("131-camera.jpg")?.image?.size ?? .zero
        let place = scrolled
        try await open("130-large.jpg")
        try await zoom()
        try await step()
        try await turn()
        try await showDetails()
        try await narrow()
        try await backToGrid()
        try await window.expect("the grid is where it was, with the focus on the photo") {
            scrolled == place
                && window.focus == cell("131-camera.jpg").flatMap { gtk_widget_get_parent($0.widget) }
        }
        try await window.expect("the thumbnail is turned") {
            let new = cell("131-camera.jpg")?.image?.size ?? .zero
            return new.width == thumbnail.height && new.height == thumbnail.width
        }
    }

    private func zoom() async throws {
        guard let focus = window.focus, gtk_widget_is_ancestor(focus, viewer.zoom.widget) != 0 else {
            throw Failure("the photo does not have the focus")
        }
        guard window.missingIcons.isEmpty else { throw Failure("the theme has no \(window.missingIcons)") }
        guard window.height(of: viewer.zoom) > 0.8 else {
            throw Failure("the photo does not fill the window")
        }
        guard viewer.zoom.isFitted, viewer.zoom.zoom < 1 else { throw Failure("a large photo is not fitted") }
        try await window.photograph("photos-fit")
        try window.click("Original size")
        try await window.expect("the photo is shown at 1:1") { viewer.zoom.zoom == 1 }
        try await window.photograph("photos-original-size")
        try window.click("Zoom in")
        try await window.expect("the photo is larger") { viewer.zoom.zoom > 1 }
        try window.click("Zoom out")
        try await window.expect("the photo is smaller") { viewer.zoom.zoom == 1 }
        try window.click("Fit the window")
        try await window.expect("all of the photo is visible") { viewer.zoom.isFitted }
    }

    private func step() async throws {
        try window.click("Next photo")
        try await expectPhoto("131-camera.jpg")
        try window.click("Previous photo")
        try await expectPhoto("130-large.jpg")
        let isMirrored = gtk_widget_get_default_direction() == GTK_TEXT_DIR_RTL
        try window.press(isMirrored ? "Left" : "Right")
        try await expectPhoto("131-camera.jpg")
        try window.press(isMirrored ? "Right" : "Left")
        try await expectPhoto("130-large.jpg")
        try window.press("Page_Up")
        try await expectPhoto("129-rocket.jpg")
        try window.press("Page_Down")
        try window.press("Page_Down")
        try await expectPhoto("131-camera.jpg")
    }

    private func turn() async throws {
        let file = album.url("131-camera.jpg")
        let before = try ImageMetadata(of: Data(contentsOf: file))
        guard let size = viewer.zoom.image?.size else { throw Failure("no photo") }
        try window.click("Turn clockwise")
        try await window.expect("the photo is turned") { viewer.zoom.image?.size == size.swapped }
        var expected = before.orientation.rotated(byQuarterTurns: 1)
        guard try ImageMetadata(of: Data(contentsOf: file)).orientation == expected else {
            throw Failure("the file is not turned")
        }
        // Turns follow each other, also if the second one is requested during the first one.
        try window.press("<Control>r")
        try window.press("<Control>r")
        expected = expected.rotated(byQuarterTurns: 2)
        try await window.expect("the photo is turned twice more") {
            (try? ImageMetadata(of: Data(contentsOf: file)))?.orientation == expected
        }
        try await expectPhoto("131-camera.jpg")
        guard problem.isEmpty else { throw Failure(problem) }
    }

    private func showDetails() async throws {
        try window.click("Details")
        try await window.expect("the camera is shown") {
            let text = viewer.details.text
            return text.contains("Camera\n") && text.contains("Exposure\n") && text.contains(" × ")
        }
        try await window.photograph("photos-details")
        try window.press("Page_Up")
        try await window.expect("the details are of the photo on screen") {
            viewer.details.text.contains("4000 × 3000 pixels")
        }
        try await window.photograph("photos-large-details")
        try window.press("Page_Down")
        try await expectPhoto("131-camera.jpg")
    }

    private func narrow() async throws {
        window.resize(width: 360, height: 640)
        try await window.expect("the window is narrow") { window.width <= 360 }
        try await window.photograph("photos-narrow-details")
        try window.click("Details")
        try window.press("Page_Up")
        try await expectPhoto("130-large.jpg")
        try await window.photograph("photos-narrow")
        try window.press("Page_Down")
        try await expectPhoto("131-camera.jpg")
        window.resize(width: 1000, height: 700)
        try await window.expect("the window is wide again") { window.width >= 990 }
    }
}

/// Deleted photos are in the trash and not in the grid, which stays where it is.
@MainActor struct DeletingSteps: Steps {
    let window: BrowserWindow
    let album: Album

    init(_ window: BrowserWindow, _ album: Album) { (self.window, self.album) = (window, album) }

    func run() async throws {
        let (count, place) = (grid.photos.count, scrolled)
        guard place > 0 else { throw Failure("the grid is at its start") }
        try await open("135-rocket.jpg")
        try window.click("Move to the trash")
        try await expectPhoto("136-astronaut.jpg")
        guard grid.photos.count == count - 1, !album.files.contains("135-rocket.jpg"),
            FileManager.default.fileExists(atPath: Self.trash.appending(path: "135-rocket.jpg").path)
        else { throw Failure("the photo is not in the trash") }
        try await failToDelete()
        try await backToGrid()
        try await window.expect("the grid is where it was") { scrolled == place }
        try await window.expect("the next photo has taken the cell") {
            cell("136-astronaut.jpg")?.image != nil
                && cell("136-astronaut.jpg")?.alternativeText == "136-astronaut.jpg"
        }
        try await window.photograph("photos-deleted")
        try await deleteLast()
    }

    /// A file that another program has removed.
    private func failToDelete() async throws {
        let file = album.url("136-astronaut.jpg")
        let bytes = try Data(contentsOf: file)
        try FileManager.default.removeItem(at: file)
        try window.press("Delete")
        try await window.expect("the error of the trash is shown") {
            problem.contains("“136-astronaut.jpg” cannot be moved to the trash.")
        }
        try bytes.write(to: file)
    }

    /// The button of the next photo is insensitive at the end; the photo before is shown when the last one is
    /// deleted.
    private func deleteLast() async throws {
        let names = grid.photos.map(\.lastPathComponent)
        let last = names.count - 1
        try await open(names[last - 1])
        guard let next = window.button("Next photo") else { throw Failure("there is no button “Next photo”") }
        gtk_widget_grab_focus(next)
        try window.click("Next photo")
        try await expectPhoto(names[last])
        guard gtk_widget_is_sensitive(next) == 0 else { throw Failure("there is a photo after the last one") }
        try await window.expect("the focus has moved to the photo") {
            window.focus.map { gtk_widget_is_ancestor($0, viewer.zoom.widget) } == 1
        }
        try window.press("Delete")
        try await expectPhoto(names[last - 1])
        try await backToGrid()
    }

    private static var trash: URL {
        URL(filePath: String(cString: g_get_user_data_dir())).appending(path: "Trash/files")
    }
}
