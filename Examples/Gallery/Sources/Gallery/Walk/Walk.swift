import CAdwaita
import KingfisherGTK

/// A walk through all pages, with a screenshot of each, for machines without a display and for the record.
@MainActor struct Walk {
    let window: GalleryWindow
    let pages: [any GalleryPage]
    let server: PhotoServer
    private(set) var output: OutputFolder

    init(_ window: GalleryWindow, pages: [any GalleryPage], server: PhotoServer, output: OutputFolder) {
        self.window = window
        self.pages = pages
        self.server = server
        self.output = output
    }

    /// Writes the screenshots and the contact sheets, then loads the images once more without a view, and
    /// prints how long that took.
    mutating func run() async throws {
        for (index, page) in pages.enumerated() {
            window.show(index)
            for scene in page.scenes {
                try await scene.prepareForScreenshot()
                try await keep(scene.name)
                if scene.isWantedDark { try await keepDark(scene.name) }
            }
        }
        try await keepNarrow()
        try keepSheets()
        print(ResultTable(results: try await TimedLoads.measure(from: server)))
        print("")
        print(try await StoredFiles.compare(with: server))
        print("")
        for file in output.files { print(file.path) }
    }

    /// One photograph through every processor and every blend mode.
    private mutating func keepSheets() throws {
        let painter = SheetPainter(widget: window.content)
        let file = try server.bytes(of: .cat)
        let sheets = [("contact-sheet", ContactSheet.processors), ("blend-modes", ContactSheet.blendModes)]
        for (name, sheet) in sheets {
            try output.write(painter.paint(sheet, of: file, called: Photo.cat.file), as: name)
        }
    }

    private mutating func keepDark(_ name: String) async throws {
        let style = adw_style_manager_get_default()
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK)
        try await keep(name + "-dark")
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT)
    }

    /// The first page in a window as narrow as a phone.
    private mutating func keepNarrow() async throws {
        window.show(0)
        window.resize(width: 400, height: 760)
        try await wait(for: "narrow window") { window.width <= 400 }
        try await keep("narrow")
    }

    private mutating func keep(_ name: String) async throws {
        try await window.settle()
        try output.write(Screenshot.of(window.content), as: "\(output.files.count + 1)-\(name)")
    }
}
