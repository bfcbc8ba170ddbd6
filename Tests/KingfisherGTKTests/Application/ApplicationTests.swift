import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Testing

extension GTKTests {
    /// `Application`, within this process and as a separate program.
    @Suite(.serialized) @MainActor struct Applications {
        private let image = Fixtures.url(named: "Photos/astronaut.jpg")

        @Test("Windows open only while the application runs")
        func windowsWhileRunning() {
            let app = Application(id: "org.example.kingfisher.test")
            #expect(app.showWindow(title: "Too early", size: .zero, content: View()) == nil)
            let (view, watch) = (Label("Hello"), WidgetWatch())
            var runs = 0
            let status = app.run { app in
                runs += 1
                let window = app.showWindow(
                    title: "First", size: CGSize(width: 120, height: 80), content: view)
                #expect(window.map { String(cString: gtk_window_get_title($0)) } == "First")
                if let window {
                    watch.watch(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self))
                }
                #expect(gtk_widget_get_root(view.widget) != nil)
                #expect(app.run { _ in } != 0)
                app.quit()
            }
            #expect(status == 0 && runs == 1)
            #expect(watch.isDestroyed)
            #expect(gtk_widget_get_root(view.widget) == nil)
            app.quit()
        }

        @Test("The application ends when its last window closes")
        func lastWindowCloses() {
            // "first" is not a valid application ID, so no other instance can exist.
            let status = Application(id: "first").run { app in
                let window = app.showWindow(
                    title: "Brief", size: CGSize(width: 20, height: 20), content: View())
                if let window { gtk_window_close(window) }
            }
            #expect(status == 0)
            #expect(Application(id: "org.example.kingfisher.empty").run { _ in } == 0)
        }

        @Test("A view on screen moves to a new window")
        func viewMovesToNewWindow() {
            let (view, parent) = (Label("Hello"), View())
            Application(id: "move").run { app in
                let size = CGSize(width: 40, height: 30)
                let first = app.showWindow(title: "First", size: size, content: view)
                let second = app.showWindow(title: "Second", size: size, content: view)
                #expect(gtk_window_get_child(first) == nil && gtk_window_get_child(second) == view.widget)
                gtk_window_destroy(first)
                #expect(gtk_widget_get_root(view.widget) == OpaquePointer(second))
                parent.addSubview(Label("Below"))
                let third = app.showWindow(title: "Third", size: size, content: parent)
                let fourth = app.showWindow(title: "Fourth", size: size, content: parent.subviews[0])
                #expect(parent.subviews.isEmpty && gtk_window_get_child(third) == parent.widget)
                #expect(gtk_window_get_child(fourth) != nil)
                app.quit()
            }
        }

        @Test("A view in a widget of the program does not move to a window")
        func viewInProgramWidget() {
            let (view, box) = (Label("Hello"), gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)!)
            gtk_box_append(UnsafeMutableRawPointer(box).assumingMemoryBound(to: GtkBox.self), view.widget)
            let owner = WidgetView(wrapping: box)
            Application(id: "stay").run { app in
                #expect(app.showWindow(title: "None", size: .zero, content: view) == nil)
                #expect(gtk_widget_get_parent(view.widget) == box && owner.content == box)
                app.quit()
            }
        }

        @Test("A window opens with an invalid size", arguments: [-5, .nan, .infinity, -.infinity, 1e300])
        func invalidSizes(_ side: CGFloat) {
            Application(id: "size").run { app in
                let size = CGSize(width: side, height: side)
                #expect(app.showWindow(title: "Odd", size: size, content: View()) != nil)
                app.quit()
            }
        }

        @Test("The application is released after run returns")
        func releasedAfterRun() async {
            weak var app: Application?
            do {
                let new = Application(id: "org.example.kingfisher.gone")
                app = new
                new.run { $0.quit() }
            }
            #expect(app == nil)
        }

        @Test("A program shows its image and quits")
        func programShowsImage() async throws {
            let program = try Program([image.absoluteString, "quit"])
            #expect(await program.prints("512.0", "shown", "ended"))
            #expect(await program.status() == 0)
        }

        @Test("SIGTERM and SIGINT end the application", arguments: [SIGTERM, SIGINT])
        func signals(_ signal: Int32) async throws {
            let program = try Program([image.absoluteString])
            #expect(await program.prints("512.0"))
            program.send(signal)
            #expect(await program.prints("512.0", "ended"))
            #expect(await program.status() == 0)
        }

        /// In a separate process, without `CGLibMainHook`.
        @Test("The main queue is served while GLib runs the main loop")
        func mainQueue() async throws {
            let program = try Program(["main-queue"])
            #expect(await program.prints("blocks true", "tasks true", "hops 2000", "drawn", "ended"))
            #expect(await program.status() == 0)
        }

        @Test("Without a display the program fails")
        func noDisplay() async throws {
            let program = try Program(
                [image.absoluteString], environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil])
            #expect(await program.prints("ended"))
            #expect(await program.status() == EXIT_FAILURE)
        }
    }
}
