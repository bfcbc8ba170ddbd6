import CAdwaita
import KingfisherGTK

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

    /// Writes the screenshots and contact sheets, measures the loads again without a view, and prints the
    /// results.
    mutating func run() async throws {
        for (index, page) in pages.enumerated() {
            window.show(index)
            for scene in page.scenes {
                try await scene.prepareForScreenshot()
                try await save(scene.name)
                if scene.includesDark { try await saveDark(scene.name) }
            }
        }
        try await saveNarrow()
        try saveSheets()
        print(ResultTable(results: try await TimedLoads.measure(from: server)))
        print("")
        print(try await StoredFiles.compare(with: server))
        print("")
        for file in output.files { print(file.path) }
    }

    private mutating func saveSheets() throws {
        let painter = SheetPainter(widget: window.content)
        let file = try server.bytes(of: .cat)
        let sheets = [("contact-sheet", ContactSheet.processors), ("blend-modes", ContactSheet.blendModes)]
        for (name, sheet) in sheets {
            try output.write(painter.paint(sheet, of: file, called: Photo.cat.file), as: name)
        }
    }

    private mutating func saveDark(_ name: String) async throws {
        let style = adw_style_manager_get_default()
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK)
        try await save(name + "-dark")
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT)
    }

    private mutating func saveNarrow() async throws {
        window.show(0)
        window.resize(width: 400, height: 760)
        try await wait(for: "the narrow window") { window.width <= 400 }
        try await save("narrow")
    }

    private mutating func save(_ name: String) async throws {
        try await window.settle()
        try output.write(Screenshot.of(window.content), as: "\(output.files.count + 1)-\(name)")
    }
}
