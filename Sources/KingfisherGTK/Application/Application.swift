public import CGtk
public import Foundation
import Glibc
public import Kingfisher

/// A program with windows, for a `main` of a few lines.
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
/// A program that has a GtkApplication needs none of this: see `View.widget` and `GLibMainLoop`.
@MainActor public final class Application {
    private let id: String
    private var start: (@MainActor (Application) -> Void)?
    private var application: UnsafeMutablePointer<GtkApplication>?

    /// Names the program as D-Bus does, like `org.example.first`. Started a second time, a program of a name
    /// brings the windows of the first to the front; one whose name is not of that form runs as often as it
    /// likes.
    public init(id: String) {
        self.id = id
    }

    /// Runs the program until its last window is closed, it quits, or the system asks it to (SIGINT,
    /// SIGTERM).
    ///
    /// Call it on the main thread from a `main` that is not async: that one gives the main thread away.
    /// Without a display it returns at once, and `start` is not called.
    ///
    /// - Parameter start: opens the first window, once GTK is ready; without one the program ends at once.
    /// - Returns: the status to exit with; `EXIT_FAILURE` when there is no display, or when it runs already.
    @discardableResult
    public func run(_ start: @escaping @MainActor (Application) -> Void) -> Int32 {
        // GtkApplication would end the process by itself where there is no display.
        guard self.application == nil, gtk_init_check() != 0 else { return EXIT_FAILURE }
        GLibMainLoop.attach()
        MemoryPressure.followGIO()
        // A program that knows better has said so by now.
        if NetworkMonitor.shared.source == nil { NetworkMonitor.shared.followGIO() }
        let name = g_application_id_is_valid(id) != 0 ? id : nil
        let application = gtk_application_new(name, GApplicationFlags(rawValue: 0))!
        (self.application, self.start) = (application, start)
        // Nobody calls back once the loop below has ended, and until then this object is here.
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

    /// Opens a window that shows `content`, of `size` in points at first.
    ///
    /// The window keeps the view. A view that another view or window shows moves over, and leaves that one
    /// empty; one that lies in some other widget of the program's stays there, as GTK's containers know their
    /// children. Call it within `run`; before and after, there is no window to be had.
    ///
    /// - Returns: the window, which GTK destroys when it is closed; nil if there is none to be had,
    ///   or if the view stays where it is.
    @discardableResult
    public func showWindow(
        title: String, size: CGSize, content: View
    ) -> UnsafeMutablePointer<GtkWindow>? {
        guard let application, takeOut(content) else { return nil }
        let window = UnsafeMutableRawPointer(gtk_application_window_new(application)!)
            .assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_title(window, title)
        gtk_window_set_default_size(
            window, Int32(points: size.width), Int32(points: size.height))
        gtk_window_set_child(window, content.widget)
        gtk_window_present(window)
        return window
    }

    /// Takes `view` from where it is shown; false if that is beyond us.
    private func takeOut(_ view: View) -> Bool {
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
