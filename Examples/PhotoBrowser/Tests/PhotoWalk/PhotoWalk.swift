import Foundation
import KingfisherFormats
import KingfisherGTK
import PhotoBrowser

/// Walks through the browser in one window: grid, viewer, zoom, details, turning, errors and deleting.
/// Prints the paths of its screenshots, and fails at the first step that does not show what it must.
///
///     PhotoWalk --output DIR [--right-to-left] [--dark]
///
/// The folder also gets the photos, and the home folder of the walk with its trash and its thumbnails.
@main @MainActor struct PhotoWalk {
    private static let usage = Failure("usage: PhotoWalk --output DIR [--right-to-left] [--dark]")

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let output = arguments.firstIndex(of: "--output").flatMap { arguments.dropFirst($0 + 1).first }
            .map { URL(filePath: $0, directoryHint: .isDirectory).absoluteURL }
        if let home = output?.appending(path: "home").path {
            // Before GLib looks for them. It uses the trash of $HOME only on the same file system.
            for (name, folder) in [("HOME", ""), ("XDG_DATA_HOME", "/data"), ("XDG_CACHE_HOME", "/cache")] {
                try? FileManager.default.createDirectory(
                    atPath: home + folder, withIntermediateDirectories: true)
                setenv(name, home + folder, 1)
            }
        }
        ImageCodecs.registerAll()
        var problem: String? = "the window was closed"
        Application(id: "").run { app in
            Task {
                do {
                    guard let output else { throw usage }
                    try await walk(app, output, arguments)
                    problem = nil
                } catch {
                    problem = "\(error)"
                }
                app.quit()
            }
            // Keeps the program running until the first window is shown.
            app.showWindow(title: "Walk", size: CGSize(width: 200, height: 100), content: View())
        }
        if let problem {
            FileHandle.standardError.write(Data("photo walk: \(problem)\n".utf8))
            exit(EXIT_FAILURE)
        }
    }

    private static func walk(_ app: Application, _ output: URL, _ arguments: [String]) async throws {
        if arguments.contains("--right-to-left") { gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL) }
        if arguments.contains("--dark") { preferDark() }
        let photos = try await Album.make(in: output.appending(path: "photos"))
        let window = try BrowserWindow(app, output: output)
        try await GridSteps(window, photos).run()
        try await ViewerSteps(window, photos).run()
        try await ErrorSteps(window, photos).run()
        try await DeletingSteps(window, photos).run()
        for file in window.screenshots { print(file.path) }
    }

    private static func preferDark() {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, 1)
        let settings = UnsafeMutableRawPointer(gtk_settings_get_default()!)
        g_object_set_property(
            settings.assumingMemoryBound(to: GObject.self), "gtk-application-prefer-dark-theme", &value)
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
