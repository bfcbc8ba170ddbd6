import Kingfisher
import KingfisherSteps

/// One photograph in a grid, processed in another way in each cell.
///
/// Cells name their steps as `kingfisher get -p` takes them, and are made by what such a text means: a
/// caption cannot say anything but the truth.
struct ContactSheet {
    /// An image and how it was made.
    struct Cell {
        let caption: String
        let pixels: PixelBuffer
    }

    let title: String
    /// What is done to the photograph before the steps of any cell.
    let preparation: [String]
    /// The steps of each cell.
    let steps: [[String]]
    /// Pixels that the largest image takes.
    let cell: PixelSize
    let columns: Int

    /// The cells' images, of the photograph in `file`.
    func cells(of file: Data) throws -> [Cell] {
        try steps.map { steps in
            let chain = try (preparation + steps).map { try ProcessingStep($0) }
            let options = KingfisherParsedOptionsInfo(nil)
            guard let image = chain.processor?.process(item: .data(file), options: options),
                let pixels = image.pixels
            else { throw Failure("\(steps) cannot be made") }
            let caption = steps.isEmpty ? "the photograph" : steps.map { "-p \($0)" }.joined(separator: " ")
            return Cell(caption: caption, pixels: try pixels.converted(to: .rgba8Premultiplied))
        }
    }

    /// What comes before a cell's own steps on the command line.
    func command(for file: String) -> String {
        "kingfisher get \(file) " + preparation.map { "-p \($0)" }.joined(separator: " ") + " …"
    }
}

extension ContactSheet {
    /// Every step, in the arguments that show what it can.
    static let processors = ContactSheet(
        title: "Every processor", preparation: ["downsample:240x240"],
        steps: [
            [], ["downsample:120x120"], ["resize:160x160"], ["resize:150x150,fit"], ["resize:150x150,fill"],
            ["crop:140x140,0.6,0.4"],
            ["round:24"], ["round:60,tl+br"], ["round:40,#fc6"], ["round:50%h"],
            ["crop:160x160", "round:50%w"],
            ["border:8,#fff"], ["border:8,#06c,24"], ["border:16,#fff8,40,tl+br"],
            ["round:32", "border:6,#e63,32"],
            ["overlay:#06c"], ["overlay:#06c,0.8"], ["round:24", "overlay:#e63,0.4"],
            ["tint:#06c5"], ["round:24", "tint:#e638"],
            ["color:0.1,1,1"], ["color:0,1.25,1"], ["color:0,1,2.5"], ["color:0,1,1,-1.5"], ["bw"],
            ["blend:multiply,#fc6"], ["blend:luminosity,#06c"], ["blend:normal,0.4"],
            ["blur:2"], ["blur:8"],
        ],
        cell: PixelSize(width: 240, height: 160), columns: 5)

    /// The blend modes, of an image that is transparent around a circle, on a canvas that lets half through.
    static let blendModes = ContactSheet(
        title: "Every blend mode", preparation: ["downsample:224x224", "round:50%h"],
        steps: BlendMode.allCases.map { ["blend:\($0),#f93a"] },
        cell: PixelSize(width: 224, height: 150), columns: 7)
}
