import KingfisherGTK

@MainActor func albumButton(_ title: String, cover url: URL, open: @escaping @MainActor () -> Void) -> View {
    let button = Button(title: title)
    let side = CGSize(width: 64, height: 64)
    button.kf.setImage(
        with: url, for: .normal,
        options: [
            .processor(
                ResizingImageProcessor(referenceSize: side, mode: .aspectFill)
                    |> CroppingImageProcessor(size: side))
        ])
    button.onClick = open
    gtk_widget_set_halign(button.widget, GTK_ALIGN_CENTER)
    gtk_widget_set_valign(button.widget, GTK_ALIGN_CENTER)
    return button
}
