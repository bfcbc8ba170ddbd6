import KingfisherGTK

@MainActor func card(_ url: URL, title: String) -> View {
    let image = KFImage(url)
        .placeholder { Label("Loading …") }
        .onFailureView { Label("Not available") }
        .resizable().scaledToFill()
        .decodesToViewSize()
        .makeView()
    gtk_widget_set_size_request(image.widget, 240, 135)
    return column(image, Label(title))
}
