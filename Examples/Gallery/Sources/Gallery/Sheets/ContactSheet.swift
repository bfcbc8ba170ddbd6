import Kingfisher

/// A grid of one photo, processed differently in each cell.
///
/// Captions are steps in the syntax of `kingfisher get -p`. Cells are made by parsing their captions, so
/// captions are always correct.
struct ContactSheet {
    let title: String
    /// Steps that run before those of each cell.
    let preparation: [String]
    let steps: [[String]]
    /// Size of the largest image in pixels.
    let cell: PixelSize
    let columns: Int

    func sheet(of file: Data, called name: String) throws -> Sheet {
        Sheet(
            title: title, subtitle: command(for: name), cells: try cells(of: file), size: cell,
            columns: columns)
    }

    private func cells(of file: Data) throws -> [Sheet.Cell] {
        try steps.map { steps in
            let chain = try (preparation + steps).map { try ProcessingStep($0) }
            let options = KingfisherParsedOptionsInfo(nil)
            guard let image = chain.processor?.process(item: .data(file), options: options),
                let pixels = image.pixels
            else { throw Failure("cannot process the photo with \(steps)") }
            let caption = steps.isEmpty ? "original" : steps.map { "-p \($0)" }.joined(separator: " ")
            return Sheet.Cell(caption: caption, pixels: try pixels.converted(to: .rgba8Premultiplied))
        }
    }

    /// The command line up to a cell's own steps.
    private func command(for file: String) -> String {
        "kingfisher get \(file) " + preparation.map { "-p \($0)" }.joined(separator: " ") + " …"
    }
}

extension ContactSheet {
    /// Every step, with a range of arguments. Steps without one are shown as in their help.
    static let processors = ContactSheet(
        title: "Processors", preparation: ["downsample:240x240"], steps: examples + others, cell: cell,
        columns: 5)

    private static let cell = PixelSize(width: 240, height: 160)

    private static let examples: [[String]] = [
        [], ["downsample:120x120"], ["resize:160x160"], ["resize:150x150,fit"], ["resize:150x150,fill"],
        ["crop:140x140,0.6,0.4"],
        ["round:24"], ["round:60,tl+br"], ["round:40,#fc6"], ["round:50%h"], ["crop:160x160", "round:50%w"],
        ["border:8,#fff"], ["border:8,#06c,24"], ["border:16,#fff8,40,tl+br"],
        ["round:32", "border:6,#e63,32"],
        ["overlay:#06c"], ["round:24", "overlay:#e63,0.4"], ["tint:#06c5"], ["round:24", "tint:#e638"],
        ["color:0.1,1,1"], ["color:0,1.25,1"], ["color:0,1,2.5"], ["color:0,1,1,-1.5"], ["bw"],
        ["blend:multiply,#fc6"], ["blend:luminosity,#06c"], ["blend:normal,0.4"],
        ["blur:2"], ["blur:8"], ["sharpen:2,1.5"], ["rotate:180"], ["flip:horizontal"],
        ["downsample:180x120", "pad:240x160,0.2,0.8,#06c"], ["pad:240x240,#fff", "trim"],
        ["focus:160x160,0.35,0.5"],
    ]

    /// Steps that no example has; a watermark needs a file.
    private static var others: [[String]] {
        let shown = Set(examples.joined().map { $0.prefix { $0 != ":" } } + ["watermark"])
        return StepGrammar.standard.definitions.filter { !shown.contains($0.name[...]) }
            .map { [$0.example, "downsample:\(cell.width)x\(cell.height)"] }
    }

    /// The blend modes, of an image with a transparent surrounding, with a translucent colour.
    static let blendModes = ContactSheet(
        title: "Blend Modes", preparation: ["downsample:224x224", "round:50%h"],
        steps: BlendMode.allCases.map { ["blend:\($0),#f93a"] },
        cell: PixelSize(width: 224, height: 150), columns: 7)
}
