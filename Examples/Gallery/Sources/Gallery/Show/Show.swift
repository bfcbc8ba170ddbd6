import KingfisherGTK

/// What the gallery does from the first window to the last file.
@MainActor final class Show {
    private enum Outcome {
        case unfinished, finished
        case failed(any Error)
    }

    private let arguments: Arguments
    private let server: PhotoServer
    private let manager = KingfisherManager.shared
    private let placeholder: Image
    private let temporaryFolder: URL
    private var output: OutputFolder
    private var window: GalleryWindow?
    private var loads: [CellLoad] = []
    private var outcome = Outcome.unfinished

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        output = try OutputFolder(arguments.output)
        placeholder = try PlaceholderPicture.make()
        server = try PhotoServer()
        temporaryFolder = FileManager.default.temporaryDirectory
            .appending(path: "kingfisher-gallery-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: temporaryFolder, withIntermediateDirectories: true)
        manager.cache = try ImageCache(name: "gallery", cacheDirectoryURL: temporaryFolder)
    }

    func begin(in application: UnsafeMutablePointer<GtkApplication>) {
        let window = GalleryWindow(in: application, exhibits: Exhibit.all)
        self.window = window
        window.onReload = { [weak self] in self?.reload(window) }
        Task {
            do {
                try await takeScreenshots(of: window)
                let results = try await makeContactSheet(in: window)
                report(results)
                outcome = .finished
                if arguments.exits { window.close() }
            } catch {
                // Nobody waits for what cannot be shown in a window that the user has closed.
                if window.isOpen { outcome = .failed(error) }
                window.close()
            }
        }
    }

    /// Throws why the show did not come to its end. A user may close the window before; a script cannot.
    func checkOutcome() throws {
        switch outcome {
        case .finished: break
        case .unfinished: if arguments.exits { throw Failure("the window closed before the end") }
        case .failed(let error): throw error
        }
    }

    func tidyUp() {
        server.stop()
        try? FileManager.default.removeItem(at: temporaryFolder)
    }

    /// Shows the pictures on their way, and keeps three moments of it.
    private func takeScreenshots(of window: GalleryWindow) async throws {
        window.present(window.gallery)
        loads = load(into: window, haltsHalfway: true)
        try await window.gallery.draw()
        try keep(window.gallery, as: "1-placeholders")

        server.answerSlowRequests()
        try await wait(for: "pictures") { try loads.allSatisfy { try $0.isHalfway } }
        try await window.gallery.draw()
        try keep(window.gallery, as: "2-mid-fade")

        for load in loads { load.resume() }
        try await wait(for: "end of the fades") { try loads.allSatisfy { try $0.isComplete } }
        try await window.gallery.draw()
        try keep(window.gallery, as: "3-final")
    }

    /// Loads everything three times without a view, and shows the results side by side.
    private func makeContactSheet(in window: GalleryWindow) async throws -> [TimedLoads] {
        let results = try await TimedLoads.measure(Exhibit.all, from: server, through: manager)
        for (cell, result) in zip(window.sheet.cells, results) {
            cell.show(result.image, figures: result.loads.map(\.text))
        }
        window.present(window.sheet)
        try await window.sheet.draw()
        try keep(window.sheet, as: "contact-sheet")
        window.present(window.gallery)
        return results
    }

    /// Loads the pictures into the window as if for the first time.
    private func reload(_ window: GalleryWindow) {
        guard case .finished = outcome else { return }
        Task {
            await manager.cache.clearCache()
            window.present(window.gallery)
            loads = load(into: window, haltsHalfway: false)
        }
    }

    private func load(into window: GalleryWindow, haltsHalfway: Bool) -> [CellLoad] {
        zip(Exhibit.all, window.gallery.cells).enumerated().map { index, pair in
            let (exhibit, cell) = pair
            // 200 to 900 ms, neighbours far apart: 5 and 12 share no factor.
            let wait = 200 + index * 5 % 12 * 700 / 11
            return CellLoad(
                exhibit, at: server.slowURL(of: exhibit, milliseconds: wait), into: cell.imageView,
                placeholder: placeholder, haltsHalfway: haltsHalfway)
        }
    }

    private func keep(_ page: Page, as name: String) throws {
        try output.write(Screenshot.of(page.widget), as: name)
    }

    private func report(_ results: [TimedLoads]) {
        print(ResultTable(results: results))
        print("")
        for file in output.files { print(file.path) }
    }
}
