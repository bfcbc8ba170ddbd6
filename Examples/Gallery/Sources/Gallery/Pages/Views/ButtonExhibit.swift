import KingfisherGTK

@MainActor final class ButtonExhibit: ViewExhibit {
    let tile: Tile
    private let button = Button(title: "Portrait")
    private let imageButton = Button(title: nil)
    private var clicks = 0

    init() {
        let frame = PhotoFrame.make(around: imageButton.widget, width: 120, height: 54)
        let content = Widget.column(
            spacing: 12, button.widget.aligned(GTK_ALIGN_CENTER), frame.aligned(GTK_ALIGN_CENTER))
        tile = Tile(
            PhotoFrame.make(around: content.aligned(GTK_ALIGN_CENTER, GTK_ALIGN_CENTER)),
            title: "Buttons", code: "setImage(…, for: .normal)")
        button.onClick = { [unowned self] in
            clicks += 1
            button.title = "Clicked \(clicks)×"
        }
    }

    var hasLoaded: Bool { button.currentImage != nil && imageButton.currentBackgroundImage != nil }

    func load(from url: (Photo) -> URL) {
        button.setImage(nil, for: .normal)
        imageButton.setBackgroundImage(nil, for: .normal)
        button.kf.setImage(
            with: url(.portrait), for: .normal,
            options: [.processor(Self.round), .scaleFactor(button.widget.scale)])
        imageButton.kf.setBackgroundImage(with: url(.launchPad), for: .normal)
    }

    private static let round =
        ResizingImageProcessor(referenceSize: CGSize(width: 36, height: 36), mode: .aspectFill)
        |> CroppingImageProcessor(size: CGSize(width: 36, height: 36))
        |> RoundCornerImageProcessor(radius: .widthFraction(0.5))
}
