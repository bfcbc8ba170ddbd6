import KingfisherGTK

@MainActor final class TextExhibit: ViewExhibit {
    let tile: Tile
    private let view = TextView()
    private let attachments: [(photo: Photo, attachment: TextAttachment)]

    init() {
        attachments = [Photo.eyes, .stars].map { ($0, TextAttachment()) }
        for (words, (_, attachment)) in zip(["The cat ", " looked up at the stars "], attachments) {
            attachment.bounds = CGRect(x: 0, y: -6, width: 36, height: 24)
            view.append(words)
            view.append(attachment)
        }
        view.append(" and waited for its image.")
        tile = Tile(
            PhotoFrame.make(around: view.widget.padded(14, 14)), title: "Text", code: "TextAttachment")
    }

    var hasLoaded: Bool { attachments.allSatisfy { $0.attachment.image != nil } }

    func load(from url: (Photo) -> URL) {
        for (photo, attachment) in attachments {
            attachment.image = nil
            attachment.kf.setImage(
                with: url(photo), attributedView: self.view,
                options: [.processor(DownsamplingImageProcessor(size: CGSize(width: 72, height: 48)))])
        }
    }
}
