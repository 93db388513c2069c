import { mount } from "svelte";
import App from "./App.svelte";
import Embedded from "./embedded/Embedded.svelte";
import { isEmbedded } from "./host";
import "./fonts.css";
import "./app.css";

mount(isEmbedded ? Embedded : App, { target: document.getElementById("app")! });
