import CGtk
import Foundation
import KingfisherTestSupport
import Testing

@testable import KingfisherGTK

extension GTKTests {
    /// The portal of these tests is `Tests/Desktop/mock-portal`, on a private bus.
    @Suite @MainActor struct ImageFileChooserTests {
        private let photo = Fixtures.url(named: "Photos/coffee.jpg")

        private func program(_ mode: String, portal: String, _ uris: String...) throws -> Program {
            let script = URL(filePath: #filePath).deletingLastPathComponent()
                .appending(path: "../../Desktop/mock-portal").path
            let wrapper = ["/usr/bin/python3", script, portal] + uris + ["--"]
            return try Program(
                ["choose-file", mode], through: wrapper, environment: ["GDK_DEBUG": "portals"])
        }

        private let types = "image/apng,image/png,image/jpeg,image/gif"

        @Test("The portal gets title, filter, label, folder and parent window; its file can be loaded")
        func one() async throws {
            let program = try program("one", portal: "select", photo.absoluteString)
            #expect(
                await program.prints(
                    "portal title=Open image label=Use multiple=False modal=True folder=/tmp",
                    "portal filter=Images \(types) parent=x11", photo.absoluteString, "512.0", "ended"))
            #expect(await program.status() == 0)
        }

        @Test("Several files are returned with the escapes of their URIs")
        func several() async throws {
            let uris = [photo.absoluteString, "file:///run/user/1000/doc/1f/a%20b%FF.jpg"]
            let program = try program("several", portal: "select", uris[0], uris[1])
            #expect(
                await program.hasPrinted(
                    "portal title=Open image label=Use multiple=True modal=True folder=/tmp", uris[0],
                    uris[1], "ended"))
        }

        @Test("A folder is asked for without a filter, and returned")
        func folder() async throws {
            let program = try program("folder", portal: "select", "file:///run/user/1000/doc/1f/Photos")
            #expect(
                await program.prints(
                    "portal title=Open image label=Use multiple=False modal=True folder=/tmp directory",
                    "file:///run/user/1000/doc/1f/Photos", "ended"))
        }

        @Test("A dialog that the user cancels returns nothing", arguments: ["one", "several", "folder"])
        func cancelled(mode: String) async throws {
            let program = try program(mode, portal: "cancel")
            #expect(await program.hasPrinted("nothing", "ended"))
        }

        @Test("Cancelling the task while the portal shows its dialog returns nothing")
        func taskCancelled() async throws {
            let program = try program("cancel-task", portal: "wait")
            #expect(await program.hasPrinted("nothing", "ended"))
        }

        @Test("Cancelling the task closes the dialog of GTK and returns nothing")
        func dialogClosed() async {
            let windows = gtk_window_get_toplevels()
            let before = g_list_model_get_n_items(windows)
            let task = Task { await ImageFileChooser(title: "Open").openMultiple() }
            #expect(await GTK.wait { g_list_model_get_n_items(windows) > before })
            task.cancel()
            #expect(await task.value == [])
            #expect(await GTK.wait { g_list_model_get_n_items(windows) == before })
        }

        @Test("A dialog may end while GTK reads the names of its folder and of the folders above")
        func endsEarly() async {
            let windows = gtk_window_get_toplevels()
            let before = g_list_model_get_n_items(windows)
            var chooser = ImageFileChooser(title: "Open")
            chooser.folder = URL(filePath: #filePath).deletingLastPathComponent()
            for delay in 0..<20 {
                let task = Task { [chooser] in await chooser.openMultiple() }
                try? await Task.sleep(for: .milliseconds(delay))
                task.cancel()
                #expect(await task.value == [])
            }
            // GTK aborts here if the dialogs were released too early.
            #expect(await GTK.wait { g_list_model_get_n_items(windows) == before })
        }

        @Test("A task that is cancelled before the dialog appears shows none")
        func cancelledBefore() async {
            let task = Task { await ImageFileChooser(title: "Open").openMultiple() }
            task.cancel()
            #expect(await task.value == [])
        }

        @Test("The filter has the media types of all registered codecs, each once")
        func filter() {
            var chooser = ImageFileChooser(title: "Open")
            #expect(Set(chooser.mediaTypes).isSuperset(of: types.split(separator: ",").map(String.init)))
            #expect(Set(chooser.mediaTypes).count == chooser.mediaTypes.count)
            chooser.formats = [.PNG, .unknown, .PNG]
            #expect(chooser.mediaTypes == ["image/png"])
        }
    }
}
