public import CGtk
public import Foundation
import Glibc
public import Kingfisher

/// A GTK application that opens windows, for a short `main`.
///
///     @main struct FirstWindow {
///         @MainActor static func main() {
///             Application(id: "org.example.first").run { app in
///                 let view = ImageView()
///                 view.kf.setImage(with: URL(string: "https://example.org/image.jpg"))
///                 app.showWindow(title: "First", size: CGSize(width: 640, height: 480), content: view)
///             }
///         }
///     }
///
/// A program that already has a GtkApplication does not need this class: see `View.widget` and
/// `GLibMainLoop`.
@MainActor public final class Application {
    private let id: String
    private var start: (@MainActor (Application) -> Void)?
    private var application: UnsafeMutablePointer<GtkApplication>?

    /// Creates an application with a D-Bus name such as `org.example.first`.
    ///
    /// If a program with the same name is already running, its windows come to the front instead. With a name
    /// that is not a valid application ID, any number of instances run.
    public init(id: String) {
        self.id = id
    }

    /// Runs the program until its last window is closed, `quit` is called, or SIGINT or SIGTERM arrives.
    ///
    /// Call it on the main thread from a synchronous `main`: an async `main` releases the main thread.
    /// Without a display it returns immediately and does not call `start`.
    ///
    /// - Parameter start: opens the first window, once GTK is ready. If it opens none, the program ends.
    /// - Returns: the exit status; `EXIT_FAILURE` if there is no display or if the application is already
    ///   running.
    @discardableResult
    public func run(_ start: @escaping @MainActor (Application) -> Void) -> Int32 {
        // GtkApplication would end the process if there is no display.
        guard self.application == nil, gtk_init_check() != 0 else { return EXIT_FAILURE }
        GLibMainLoop.attach()
        MemoryPressure.followGIO()
        // Keep a source that the program has set.
        if NetworkMonitor.shared.source == nil { NetworkMonitor.shared.followGIO() }
        let name = g_application_id_is_valid(id) != 0 ? id : nil
        // GTK 4.8 names windows after the program; desktops find the desktop file by this name.
        if let name { g_set_prgname(name) }
        let application = gtk_application_new(name, GApplicationFlags(rawValue: 0))!
        (self.application, self.start) = (application, start)
        // The callbacks run only while the loop below runs, and this object outlives it.
        let data = Unmanaged.passUnretained(self).toOpaque()
        g_signal_connect_data(
            application, "activate", unsafeBitCast(activated, to: GCallback.self), data, nil,
            GConnectFlags(rawValue: 0))
        let signals = [SIGINT, SIGTERM].map { g_unix_signal_add($0, signalled, data) }
        let status = g_application_run(gApplication(application), 0, nil)
        signals.forEach { g_source_remove($0) }
        while let window = gtk_application_get_windows(application)?.pointee.data {
            gtk_window_destroy(window.assumingMemoryBound(to: GtkWindow.self))
        }
        (self.application, self.start) = (nil, nil)
        g_object_unref(application)
        return status
    }

    /// Opens a window that shows `content`, with an initial `size` in points.
    ///
    /// The window retains the view. A view that is already shown in another view or window moves to the new
    /// window. A view inside another widget of the program stays there, because GTK containers manage their
    /// own children. Call this only while `run` is running.
    ///
    /// - Returns: the window, which GTK destroys when it is closed; nil if `run` is not running or the view
    ///   cannot be moved.
    @discardableResult
    public func showWindow(
        title: String, size: CGSize, content: View
    ) -> UnsafeMutablePointer<GtkWindow>? {
        guard let application, detach(content) else { return nil }
        let window = UnsafeMutableRawPointer(gtk_application_window_new(application)!)
            .assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(window, title)
        gtk_window_set_default_size(
            window, Int32(points: size.width), Int32(points: size.height))
        gtk_window_set_child(window, content.widget)
        gtk_window_present(window)
        return window
    }

    /// Removes `view` from its superview or window; false if it is inside another widget.
    private func detach(_ view: View) -> Bool {
        view.removeFromSuperview()
        let widget = view.widget
        guard let parent = gtk_widget_get_parent(widget) else { return true }
        let object = UnsafeMutableRawPointer(parent)
        guard
            g_type_check_instance_is_a(
                object.assumingMemoryBound(to: GTypeInstance.self), gtk_window_get_type()) != 0
        else { return false }
        let window = object.assumingMemoryBound(to: GtkWindow.self)
        guard gtk_window_get_child(window) == widget else { return false }
        gtk_window_set_child(window, nil)
        return true
    }

    /// Closes all windows and lets `run` return.
    public func quit() {
        if let application { g_application_quit(gApplication(application)) }
    }

    fileprivate func activate() {
        if let start {
            self.start = nil
            start(self)
        } else if let application, let window = gtk_application_get_active_window(application) {
            gtk_window_present(window)
        }
    }

    private func gApplication(
        _ application: UnsafeMutablePointer<GtkApplication>
    ) -> UnsafeMutablePointer<GApplication> {
        UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self)
    }
}

private let activated: @convention(c) (UnsafeMutablePointer<GtkApplication>?, gpointer?) -> Void = {
    _, data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated { Unmanaged<Application>.fromOpaque(data!).takeUnretainedValue().activate() }
}

private let signalled: GSourceFunc = { data in
    nonisolated(unsafe) let data = data
    MainActor.assumeIsolated { Unmanaged<Application>.fromOpaque(data!).takeUnretainedValue().quit() }
    return gboolean(1)
}
