import CAdwaita
import Foundation
import KingfisherFormats
import KingfisherGTK

/// The entry point. Synchronous, because the main thread must run GTK's main loop.
@main
enum GalleryApp {
    /// Also the name of the installed desktop file, icon and metainfo.
    private static let id = "org.kingfisher.Gallery"

    @MainActor static func main() {
        do {
            ImageCodecs.registerAll()
            let arguments = try Arguments(CommandLine.arguments.dropFirst())
            // Shells find the desktop file of a window by this name.
            g_set_prgname(id)
            guard gtk_init_check() != 0 else {
                throw Failure("no display; run scripts/demo, which starts a virtual one")
            }
            if arguments.isRightToLeft { gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL) }
            let gallery = try Gallery(arguments)
            defer { gallery.tidyUp() }
            run(gallery)
            try gallery.checkOutcome()
        } catch {
            fail(error)
        }
    }

    @MainActor private static func run(_ gallery: Gallery) {
        // Non-unique: the demo does not need a session bus.
        let application = adw_application_new(id, cadwaita_non_unique)!
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

// At file scope: C functions inside a main-actor function crash the compiler (Swift 6.3.1).
private let quit: GSourceFunc = { application in
    g_application_quit(application?.assumingMemoryBound(to: GApplication.self))
    return gboolean(1)
}
