import CGtk
import Foundation
import Kingfisher
import KingfisherGTK
import KingfisherTestSupport
import Synchronization
import Testing

extension GTKTests {
    /// `Application`, within this process and as a program of its own.
    @Suite(.serialized) @MainActor struct Applications {
        private let picture = Fixtures.url(named: "Photos/astronaut.jpg")

        @Test func opensWindowsWhileItRuns() {
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
            #expect(watch.isGone)
            #expect(gtk_widget_get_root(view.widget) == nil)
            app.quit()
        }

        @Test func endsWithItsLastWindow() {
            // No name of an application: then it is nobody's second instance.
            let status = Application(id: "first").run { app in
                let window = app.showWindow(
                    title: "Brief", size: CGSize(width: 20, height: 20), content: View())
                if let window { gtk_window_close(window) }
            }
            #expect(status == 0)
            #expect(Application(id: "org.example.kingfisher.empty").run { _ in } == 0)
        }

        @Test func goesWhenItHasRun() async {
            weak var app: Application?
            do {
                let new = Application(id: "org.example.kingfisher.gone")
                app = new
                new.run { $0.quit() }
            }
            #expect(app == nil)
        }

        @Test func firstProgramShowsItsPicture() async throws {
            let program = try Program([picture.absoluteString, "quit"])
            #expect(await program.says("512.0", "shown", "ended"))
            #expect(await program.status() == 0)
        }

        @Test(arguments: [SIGTERM, SIGINT]) func asksOfTheSystemAreHeard(_ signal: Int32) async throws {
            let program = try Program([picture.absoluteString])
            #expect(await program.says("512.0"))
            program.send(signal)
            #expect(await program.says("512.0", "ended"))
            #expect(await program.status() == 0)
        }

        @Test func withoutADisplayItSaysSo() async throws {
            let program = try Program(
                [picture.absoluteString], environment: ["DISPLAY": nil, "WAYLAND_DISPLAY": nil])
            let status = try #require(await program.status())
            #expect(status != 0)
        }
    }
}

/// `FirstWindow`, which is built next to the tests, as a process.
@MainActor private final class Program {
    private let process = Process()
    private let output = Pipe()
    private let words = Mutex<[String]>([])

    init(_ arguments: [String], environment changes: [String: String?] = [:]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        process.executableURL = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appending(path: "FirstWindow")
        process.arguments = arguments
        var environment = ProcessInfo.processInfo.environment
        for (name, value) in changes { environment[name] = value }
        process.environment = environment
        process.standardOutput = output
        output.fileHandleForReading.readabilityHandler = { [weak self] handle in
            let data = handle.availableData
            if data.isEmpty { handle.readabilityHandler = nil }
            // The program writes each line at once, so none comes in pieces.
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            self?.words.withLock { $0 += lines }
        }
        try process.run()
    }

    isolated deinit {
        output.fileHandleForReading.readabilityHandler = nil
        if process.isRunning { process.terminate() }
    }

    /// Whether the program has said this, soon enough.
    func says(_ words: String...) async -> Bool {
        await GTK.wait(upTo: 20) { self.words.withLock { $0 } == words }
    }

    func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

    func status() async -> Int32? {
        await GTK.wait(upTo: 20) { !process.isRunning } ? process.terminationStatus : nil
    }
}
