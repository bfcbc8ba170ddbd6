import KingfisherGTK

@MainActor func message(_ text: String, image url: URL, _ rest: String) -> View {
    let view = TextView(text)
    let attachment = TextAttachment()
    attachment.bounds = CGRect(x: 0, y: -4, width: 120, height: 80)
    attachment.kf.setImage(with: url, attributedView: view, options: [.decodesToViewSize])
    view.append(attachment)
    view.append(rest)
    return view
}
