import CAdwaita
import Foundation
import KingfisherGTK
import KingfisherWebP

/// The entry. Not `async`: the main thread has to be the one that runs GTK's loop.
@main
enum GalleryApp {
    @MainActor static func main() {
        do {
            ImageCodecs.register(.webP)
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            guard gtk_init_check() != 0 else {
                throw Failure("no display; scripts/demo brings a virtual one")
            }
            let gallery = try Gallery(arguments)
            defer { gallery.tidyUp() }
            run(gallery)
            try gallery.checkOutcome()
        } catch {
            fail(error)
        }
    }

    @MainActor private static func run(_ gallery: Gallery) {
        // Non-unique: a demo needs no session bus to find an older copy of itself.
        let application = adw_application_new("org.kingfisher.Gallery", G_APPLICATION_NON_UNIQUE)!
        GLibMainLoop.attach()
        connect(application, "activate") { gallery.begin(in: application.cast()) }
        for signal in [SIGINT, SIGTERM] {
            g_unix_signal_add(signal, quit, application)
        }
        g_application_run(application.cast(), 0, nil)
    }

    private static func fail(_ error: any Error) -> Never {
        FileHandle.standardError.write(Data("gallery: \(error.localizedDescription)\n".utf8))
        exit(1)
    }
}

// File-level, as C functions inside a main-actor function crash the compiler (Swift 6.3.1).
private let quit: GSourceFunc = { application in
    g_application_quit(application?.assumingMemoryBound(to: GApplication.self))
    return gboolean(1)
}
