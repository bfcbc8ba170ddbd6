import CAdwaita
import KingfisherGTK

@MainActor final class Gallery {
    private enum Outcome {
        case unfinished, finished
        case failed(any Error)
    }

    private let arguments: Arguments
    private let server: PhotoServer
    private let temporaryFolder: URL
    private let output: OutputFolder?
    private let placeholder: Image
    private let failure: Image
    private var window: GalleryWindow?
    private var outcome = Outcome.unfinished

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        output = try arguments.exits ? OutputFolder(arguments.output) : nil
        placeholder = try Drawings.placeholder()
        failure = try Drawings.failure()
        server = try PhotoServer()
        temporaryFolder = FileManager.default.temporaryDirectory
            .appending(path: "kingfisher-gallery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporaryFolder, withIntermediateDirectories: true)
        let manager = KingfisherManager.shared
        manager.cache = try ImageCache(name: "gallery", cacheDirectoryURL: temporaryFolder)
        // One server replaces many hosts.
        let configuration = manager.downloader.sessionConfiguration
        configuration.httpMaximumConnectionsPerHost = 64
        manager.downloader.sessionConfiguration = configuration
    }

    func begin(in application: UnsafeMutablePointer<GtkApplication>) {
        Style.install()
        let pages = makePages()
        let window = GalleryWindow(in: application, pages: pages, server: server)
        self.window = window
        connectCloseRequest(of: window.widget) { g_application_quit(application.cast()) }
        window.show(0)
        window.present()
        guard let output else { return }
        Task {
            var walk = Walk(window, pages: pages, server: server, output: output)
            do {
                try await walk.run()
                outcome = .finished
            } catch {
                outcome = .failed(error)
            }
            g_application_quit(application.cast())
        }
    }

    private func makePages() -> [any GalleryPage] {
        [
            GridPage(server: server, placeholder: placeholder, failure: failure),
            TransitionsPage(server: server),
            ProcessorsPage(server: server),
            AnimationPage(server: server),
            FormatsPage(server: server),
            ProgressivePage(server: server),
            PrefetchPage(server: server),
            CachePage(server: server),
            ErrorsPage(server: server, placeholder: placeholder, failure: failure),
            RecoveryPage.retries(server: server, placeholder: placeholder, failure: failure),
            RecoveryPage.alternatives(server: server, placeholder: placeholder, failure: failure),
            ViewsPage(server: server),
        ]
    }

    func checkOutcome() throws {
        switch outcome {
        case .finished: break
        case .unfinished:
            if arguments.exits { throw Failure("the window was closed before all screenshots were taken") }
        case .failed(let error): throw error
        }
    }

    func tidyUp() {
        server.stop()
        try? FileManager.default.removeItem(at: temporaryFolder)
    }
}
