import CAdwaita
import KingfisherGTK

@MainActor struct Walk {
    private static let reducedSize = PixelSize(width: 472, height: 320)

    let window: GalleryWindow
    let pages: [any GalleryPage]
    let server: PhotoServer
    private(set) var output: OutputFolder
    /// Reduced copies of the screenshots.
    private var overview: [Sheet.Cell] = []

    init(_ window: GalleryWindow, pages: [any GalleryPage], server: PhotoServer, output: OutputFolder) {
        self.window = window
        self.pages = pages
        self.server = server
        self.output = output
    }

    /// Writes the screenshots and contact sheets, measures the loads again without a view, and prints the
    /// results.
    mutating func run() async throws {
        // The scale is known once the window is on the display.
        try await window.settle()
        let report = DisplayReport(of: window.content)
        print(report)
        for (index, page) in pages.enumerated() {
            window.show(index)
            for scene in page.scenes {
                try await scene.prepareForScreenshot()
                try await save(scene.name)
                if scene.includesDark { try await saveDark(scene.name) }
            }
        }
        try await saveNarrow()
        try saveSheets(report)
        print(ResultTable(results: try await TimedLoads.measure(from: server)))
        print("")
        print(try await StoredFiles.compare(with: server))
        print("")
        for file in output.files { print(file.path) }
    }

    private mutating func saveSheets(_ report: DisplayReport) throws {
        let painter = SheetPainter(widget: window.content)
        let file = try server.bytes(of: .cat)
        let sheets = [("contact-sheet", ContactSheet.processors), ("blend-modes", ContactSheet.blendModes)]
        for (name, sheet) in sheets {
            try output.write(painter.paint(sheet.sheet(of: file, called: Photo.cat.file)), as: name)
        }
        let screens = Sheet(
            title: "Pages", subtitle: "\(report)", cells: overview, size: Self.reducedSize, columns: 4)
        try output.write(painter.paint(screens), as: "overview")
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
        let (image, name) = (try Screenshot.of(window.content), "\(output.files.count + 1)-\(name)")
        try output.write(image, as: name)
        let reduced = ResizingImageProcessor(referenceSize: Self.reducedSize.points, mode: .aspectFit)
            .process(item: .image(image), options: KingfisherParsedOptionsInfo(nil))
        guard let pixels = reduced?.pixels else { throw Failure("cannot reduce \(name)") }
        overview.append(Sheet.Cell(caption: name, pixels: try pixels.converted(to: .rgba8Premultiplied)))
    }
}

extension PixelSize {
    fileprivate var points: CGSize { CGSize(width: width, height: height) }
}
